import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getTransactionDecoder, lamports, address as solanaAddress } from '@solana/kit';
import { PublicKey, SystemProgram, Transaction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { Turnkey, type TurnkeyApiClient } from '@turnkey/sdk-server';
import { TurnkeySigner } from '@turnkey/solana';
import { createAccount } from '@turnkey/viem';
import * as bitcoin from 'bitcoinjs-lib';
import { LiteSVM } from 'litesvm';
import * as tinySecp256k1 from 'tiny-secp256k1';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  type LocalAccount,
  parseEther,
  serializeTransaction,
} from 'viem';
import { foundry } from 'viem/chains';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { resultOf } from '../support/client.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;
let anvil: Anvil;
let client: TurnkeyApiClient;
let addresses: { ethereum: `0x${string}`; solana: string; p2wpkh: string; p2tr: string };

before(async () => {
  [instance, anvil] = await Promise.all([startInstance(), startAnvil()]);
  const { apiPublicKey, apiPrivateKey, organizationId } = instance.credentials;
  client = new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey,
    apiPrivateKey,
    defaultOrganizationId: organizationId,
  }).apiClient() as TurnkeyApiClient;
  const account = (curve: string, path: string, addressFormat: string) => ({
    curve: `CURVE_${curve}`,
    pathFormat: 'PATH_FORMAT_BIP32',
    path,
    addressFormat: `ADDRESS_FORMAT_${addressFormat}`,
  });
  const made = await client.createWallet({
    walletName: 'Chains',
    accounts: [
      account('SECP256K1', "m/44'/60'/0'/0/0", 'ETHEREUM'),
      account('ED25519', "m/44'/501'/0'/0'", 'SOLANA'),
      account('SECP256K1', "m/84'/1'/0'/0/0", 'BITCOIN_REGTEST_P2WPKH'),
      account('SECP256K1', "m/86'/1'/0'/0/0", 'BITCOIN_REGTEST_P2TR'),
    ] as never,
  });
  const [ethereum, solana, p2wpkh, p2tr] = made.addresses as [`0x${string}`, string, string, string];
  addresses = { ethereum, solana, p2wpkh, p2tr };
});
after(async () => {
  await Promise.all([instance.close(), anvil.stop()]);
});

test('an EVM node mines what a viem account of ours signed: legacy, EIP-2930, EIP-1559, EIP-7702', async () => {
  const { organizationId } = instance.credentials;
  const signer = { client, organizationId, signWith: addresses.ethereum, ethereumAddress: addresses.ethereum };
  const account = (await createAccount(signer as never)) as LocalAccount;
  const transport = http(anvil.url);
  const node = createPublicClient({ chain: foundry, transport, pollingInterval: 20 });
  const wallet = createWalletClient({ account, chain: foundry, transport });
  await createTestClient({ chain: foundry, mode: 'anvil', transport }).setBalance({
    address: addresses.ethereum,
    value: parseEther('10'),
  });
  const to = '0x00000000000000000000000000000000000000aa';
  const authorization = await wallet.signAuthorization({ contractAddress: to, executor: 'self' });
  const forms = [
    { type: 'legacy', gasPrice: 2_000_000_000n },
    { type: 'eip2930', gasPrice: 2_000_000_000n, accessList: [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] },
    { type: 'eip1559' },
    { type: 'eip7702', authorizationList: [authorization] },
  ];
  for (const [nonce, form] of forms.entries()) {
    const hash = await wallet.sendTransaction({ to, value: 7n, nonce, gas: 100_000n, ...form } as never);
    const receipt = await node.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, 'success', form.type);
    assert.equal(receipt.from, addresses.ethereum.toLowerCase());
    assert.equal((await node.getTransaction({ hash })).type, form.type);
  }
  assert.equal(await node.getBalance({ address: to }), 28n);
});

test('a Solana runtime executes what @turnkey/solana signed with a key of ours: legacy and version 0', async () => {
  const runtime = new LiteSVM();
  const signer = new TurnkeySigner({ organizationId: instance.credentials.organizationId, client });
  const from = new PublicKey(addresses.solana);
  runtime.airdrop(solanaAddress(addresses.solana), lamports(10_000_000_000n));
  const to = PublicKey.unique();
  const instructions = [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 2_000_000_000 })];
  const legacy = new Transaction().add(...instructions);
  legacy.recentBlockhash = runtime.latestBlockhash();
  legacy.feePayer = from;
  const message = new TransactionMessage({ payerKey: from, recentBlockhash: runtime.latestBlockhash(), instructions });
  const versioned = new VersionedTransaction(message.compileToV0Message());
  for (const transaction of [legacy, versioned]) {
    await signer.addSignature(transaction, addresses.solana);
    const outcome = runtime.sendTransaction(getTransactionDecoder().decode(transaction.serialize()) as never);
    assert.ok('signature' in outcome && !('err' in outcome), String(outcome));
  }
  assert.equal(runtime.getBalance(solanaAddress(to.toBase58())), 4_000_000_000n);
});

test('bitcoinjs-lib verifies and finalizes what was signed of a PSBT, for P2WPKH and P2TR', async () => {
  bitcoin.initEccLib(tinySecp256k1);
  const network = bitcoin.networks.regtest;
  const { accounts } = await client.getWalletAccounts({});
  for (const address of [addresses.p2wpkh, addresses.p2tr]) {
    const psbt = new bitcoin.Psbt({ network });
    const script = bitcoin.address.toOutputScript(address, network);
    const publicKey = Buffer.from(accounts.find((account) => account.address === address)!.publicKey!, 'hex');
    const taproot = address === addresses.p2tr ? { tapInternalKey: publicKey.subarray(1) } : {};
    psbt.addInput({ hash: 'ab'.repeat(32), index: 1, witnessUtxo: { script, value: 100_000n }, ...taproot });
    psbt.addOutput({ address: addresses.p2wpkh, value: 90_000n });
    const { signedTransaction } = await client.signTransaction({
      signWith: address,
      unsignedTransaction: psbt.toHex(),
      type: 'TRANSACTION_TYPE_BITCOIN',
    });
    const signed = bitcoin.Psbt.fromHex(signedTransaction, { network });
    signed.validateSignaturesOfInput(0, (publicKey, digest, signature) =>
      publicKey.length === 32
        ? tinySecp256k1.verifySchnorr(digest, publicKey, signature)
        : tinySecp256k1.verify(digest, publicKey, signature),
    );
    assert.equal(signed.finalizeAllInputs().getFee(), 10_000n);
    assert.equal(signed.extractTransaction().ins.length, 1);
  }
});

test('a transaction is signed the same by every name of the key, with and without 0x', async () => {
  const unsigned = serializeTransaction({ type: 'eip1559', chainId: 1, to: addresses.ethereum, maxFeePerGas: 1n }).slice(2);
  const sign = async (signWith: string, unsignedTransaction: string) =>
    resultOf(
      await instance.root.submit('SIGN_TRANSACTION_V2', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }),
      'signTransactionResult',
    ).signedTransaction;
  const signed = await sign(addresses.ethereum, unsigned);
  assert.match(signed, /^02[0-9a-f]+$/);
  assert.equal(await sign(addresses.ethereum.toLowerCase(), `0x${unsigned.toUpperCase()}`), signed);
});
