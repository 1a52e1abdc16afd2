/**
 * A back end as it is written for the hosted service. BASE_URL is the one thing that every client needs. With `--overrides` it also gives each
 * function that checks a signature the key of this service, as `/public/v1/discovery/keys` has it.
 */
import { readFileSync } from 'node:fs';
import { decryptExportBundle, encryptWalletToBundle, generateP256KeyPair } from '@turnkey/crypto';
import { Turnkey } from '@turnkey/sdk-server';
import { createAccount } from '@turnkey/viem';
import { recoverMessageAddress } from 'viem';

type Override = { functions: string[]; option: string; value: string };

const file = process.env.CREDENTIALS ?? `${process.env.DATA_DIR ?? './data'}/root-credentials.json`;
const { baseUrl, organizationId, apiPublicKey, apiPrivateKey } = JSON.parse(readFileSync(file, 'utf8'));
const apiBaseUrl: string = process.env.BASE_URL ?? baseUrl;

/** The option of a function of the client, as the service names it. */
async function overrideOf(name: string): Promise<object> {
  if (!process.argv.includes('--overrides')) return {};
  const answer = await fetch(`${apiBaseUrl}/public/v1/discovery/keys`);
  const { keys } = (await answer.json()) as { keys: { overrides: Override[] }[] };
  const found = keys.flatMap(({ overrides }) => overrides).find(({ functions }) => functions.includes(name));
  if (found === undefined) throw new Error(`the service names no key for ${name}`);
  return { [found.option]: found.value };
}

/** A step that fails is shown, and the others go on. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const done = await work();
    console.log(`${name}: done`);
    return done;
  } catch (error) {
    console.log(`${name}: ${(error as Error).message}`);
    return undefined;
  }
}

const client = new Turnkey({ apiBaseUrl, apiPublicKey, apiPrivateKey, defaultOrganizationId: organizationId }).apiClient();
const accounts = [
  {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  } as const,
];
const { userId } = await client.getWhoami();
const walletName = `Moving ${process.argv.includes('--overrides') ? 'with' : 'without'} overrides`;
const made = await step('create a wallet', () => client.createWallet({ walletName, accounts }));
const [address] = made!.addresses;

await step('sign', async () => {
  const account = await createAccount({ client, organizationId, signWith: address!, ethereumAddress: address! });
  const message = 'the same code as before';
  const signer = await recoverMessageAddress({ message, signature: await account.signMessage({ message }) });
  if (signer !== address) throw new Error(`${signer} has signed`);
});

const mnemonic = await step('export the wallet', async () => {
  const target = generateP256KeyPair();
  const { exportBundle } = await client.exportWallet({
    walletId: made!.walletId,
    targetPublicKey: target.publicKeyUncompressed,
  });
  return decryptExportBundle({
    exportBundle,
    embeddedKey: target.privateKey,
    organizationId,
    returnMnemonic: true,
    ...(await overrideOf('decryptExportBundle')),
  });
});

await step('import a wallet', async () => {
  const { importBundle } = await client.initImportWallet({ userId });
  const encryptedBundle = await encryptWalletToBundle({
    mnemonic: mnemonic ?? 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
    importBundle,
    userId,
    organizationId,
    ...(await overrideOf('encryptWalletToBundle')),
  });
  const { addresses } = await client.importWallet({ userId, walletName: `${walletName}, again`, encryptedBundle, accounts });
  if (addresses[0] !== address) throw new Error(`the same words gave another address: ${addresses[0]}`);
});
