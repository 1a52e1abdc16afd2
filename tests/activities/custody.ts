import { decryptExportBundle, encryptPrivateKeyToBundle, encryptWalletToBundle } from '@turnkey/crypto';
import { type Client, resultOf } from '../support/client.ts';
import { newTarget, publishedKey, type Target } from '../support/published.ts';

/** Exports and imports of keys, as clients of the published package make them. */

async function opened(client: Client, exportBundle: string, target: Target, more: object): Promise<string> {
  return decryptExportBundle({
    exportBundle,
    embeddedKey: target.privateKey,
    organizationId: client.organizationId,
    dangerouslyOverrideSignerPublicKey: await publishedKey(client.url, 'bundle-signer'),
    returnMnemonic: false,
    ...more,
  });
}

/** The text of an export. Not by `returnMnemonic`, which takes each byte for a character. */
export async function exportedText(client: Client, exportBundle: string, target: Target): Promise<string> {
  return Buffer.from(await opened(client, exportBundle, target, {}), 'hex').toString('utf8');
}

export const exportedMnemonic = (client: Client, exportBundle: string, target: Target): Promise<string> =>
  opened(client, exportBundle, target, { returnMnemonic: true });

/** In hex, or in base58 with the public half behind it. */
export const exportedKey = (
  client: Client,
  exportBundle: string,
  target: Target,
  keyFormat: 'HEXADECIMAL' | 'SOLANA' = 'HEXADECIMAL',
): Promise<string> => opened(client, exportBundle, target, { keyFormat });

/** The mnemonic of a wallet, by an export. */
export async function mnemonicOf(client: Client, walletId: string): Promise<string> {
  const target = newTarget();
  const parameters = { walletId, targetPublicKey: target.publicKeyUncompressed };
  const { exportBundle } = resultOf(await client.submit('EXPORT_WALLET', parameters), 'exportWalletResult');
  return exportedText(client, exportBundle, target);
}

export async function privateKeyOf(client: Client, privateKeyId: string): Promise<string> {
  const target = newTarget();
  const parameters = { privateKeyId, targetPublicKey: target.publicKeyUncompressed };
  const { exportBundle } = resultOf(await client.submit('EXPORT_PRIVATE_KEY', parameters), 'exportPrivateKeyResult');
  return exportedKey(client, exportBundle, target);
}

/** A client that imports, and the user whose key it stamps with. */
export type Importer = { client: Client; userId: string };

const envelopeOf = async ({ client, userId }: Importer, importBundle: string) => ({
  importBundle,
  userId,
  organizationId: client.organizationId,
  dangerouslyOverrideSignerPublicKey: await publishedKey(client.url, 'bundle-signer'),
});

export async function sealMnemonic(importer: Importer, importBundle: string, mnemonic: string): Promise<string> {
  return encryptWalletToBundle({ ...(await envelopeOf(importer, importBundle)), mnemonic });
}

export async function sealKey(
  importer: Importer,
  importBundle: string,
  privateKey: string,
  keyFormat: 'HEXADECIMAL' | 'SOLANA' = 'HEXADECIMAL',
): Promise<string> {
  return encryptPrivateKeyToBundle({ ...(await envelopeOf(importer, importBundle)), privateKey, keyFormat });
}

/** Asks for the key that the user's next import is sealed to. */
export async function initWalletImport({ client, userId }: Importer): Promise<string> {
  return resultOf(await client.submit('INIT_IMPORT_WALLET', { userId }), 'initImportWalletResult').importBundle;
}

export async function initPrivateKeyImport({ client, userId }: Importer): Promise<string> {
  return resultOf(await client.submit('INIT_IMPORT_PRIVATE_KEY', { userId }), 'initImportPrivateKeyResult').importBundle;
}

export async function newPrivateKey(
  client: Client,
  privateKeyName: string,
  more: object = {},
): Promise<{ privateKeyId: string; addresses: { format: string; address: string }[] }> {
  const key = { curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'], ...more };
  const answer = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [{ privateKeyName, ...key }] });
  return resultOf(answer, 'createPrivateKeysResultV2').privateKeys[0];
}
