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
import { TronWeb, Trx, utils } from 'tronweb';
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
import { Transaction as TempoTransaction } from 'viem/tempo';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { resultOf } from '../support/client.ts';
import { type Instance, startInstance } from '../support/instance.ts';

type TronMessage = { deserializeBinary(data: Uint8Array): { getSignatureList_asU8(): Uint8Array[] } };

let instance: Instance;
let anvil: Anvil;
let client: TurnkeyApiClient;
let addresses: { ethereum: `0x${string}`; solana: string; p2wpkh: string; p2tr: string; tron: string };

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
      account('SECP256K1', "m/44'/195'/0'/0/0", 'TRON'),
    ] as never,
  });
  const [ethereum, solana, p2wpkh, p2tr, tron] = made.addresses as [`0x${string}`, string, string, string, string];
  addresses = { ethereum, solana, p2wpkh, p2tr, tron };
});
after(async () => {
  await Promise.all([instance.close(), anvil.stop()]);
});

async function viemAccount(): Promise<LocalAccount> {
  const { organizationId } = instance.credentials;
  const signer = { client, organizationId, signWith: addresses.ethereum, ethereumAddress: addresses.ethereum };
  return (await createAccount(signer as never)) as LocalAccount;
}

test('an EVM node mines what a viem account of ours signed: legacy, EIP-2930, EIP-1559, EIP-7702', async () => {
  const account = await viemAccount();
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

test('tronweb recovers the sender of what was signed, and reads the same transaction', async () => {
  const value = { owner_address: TronWeb.address.toHex(addresses.tron), to_address: `41${'ab'.repeat(20)}`, amount: 1_000_000 };
  const parameter = { value, type_url: 'type.googleapis.com/protocol.TransferContract' };
  const times = { timestamp: Date.now(), expiration: Date.now() + 60_000 };
  const raw_data = {
    ref_block_bytes: '2722',
    ref_block_hash: '8939ece39d08a7ab',
    ...times,
    contract: [{ type: 'TransferContract', parameter }],
  };
  const unsigned = utils.transaction.txJsonToPb({ visible: false, raw_data });
  const raw_data_hex = utils.transaction.txPbToRawDataHex(unsigned);
  const { signedTransaction } = await client.signTransaction({
    signWith: addresses.tron,
    unsignedTransaction: raw_data_hex,
    type: 'TRANSACTION_TYPE_TRON' as never,
  });
  const { Transaction } = (globalThis as unknown as { TronWebProto: { Transaction: TronMessage } }).TronWebProto;
  const signed = Transaction.deserializeBinary(Buffer.from(signedTransaction, 'hex'));
  const txID = utils.transaction.txPbToTxID(signed).slice(2);
  assert.equal(txID, utils.transaction.txPbToTxID(unsigned).slice(2));
  const signature = signed.getSignatureList_asU8().map((bytes) => Buffer.from(bytes).toString('hex'));
  const sender = Trx.ecRecover({ visible: false, txID, raw_data, raw_data_hex, signature } as never) as string;
  assert.equal(TronWeb.address.fromHex(sender), addresses.tron);
});

test('viem reads the sender of a Tempo transaction that an account of ours signed', async () => {
  const account = await viemAccount();
  const transaction = {
    type: 'tempo',
    chainId: 42_429,
    nonce: 3,
    gas: 100_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    calls: [{ to: `0x${'aa'.repeat(20)}`, value: 7n, data: '0xa9059cbb' }],
  };
  const signed = await account.signTransaction(transaction as never, { serializer: TempoTransaction.serialize as never });
  const read = TempoTransaction.deserialize(signed as `0x76${string}`) as unknown as typeof transaction & { from: string };
  assert.equal(read.from.toLowerCase(), addresses.ethereum.toLowerCase());
  assert.deepEqual(read.calls, transaction.calls);
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
