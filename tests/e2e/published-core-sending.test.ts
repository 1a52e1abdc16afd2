/** The published browser client, logged in with a mailed code, sends on an EVM node and on a Solana node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { Turnkey } from '@turnkey/sdk-server';
import { parseEther } from 'viem';
import { solanaAccount } from '../chain-io/sends/solana/support.ts';
import { startAnvil } from '../support/anvil.ts';
import { enabledProxy } from '../support/auth-proxy.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { publishedKey } from '../support/published.ts';
import { type Core, newCore, published, verifiedBy } from '../support/published-core.ts';
import { rpc } from '../support/rpc-liar.ts';
import { startSolanaNode } from '../support/solana-node.ts';

const mail = await sharedMail();
const anvil = await startAnvil();
const solana = await startSolanaNode('devnet');
after(() => Promise.all([anvil.stop(), solana.stop()]));
const instance = await sharedInstance({ ...mail.env, RPC_URL_EIP155_31337: anvil.url, RPC_URL_SOLANA_DEVNET: solana.url });

const caip2 = 'eip155:31337' as 'eip155:1';
const FRIEND = '0x00000000000000000000000000000000000000aa';
const PEER = new PublicKey(Buffer.alloc(32, 77));
const LAMPORTS = 5_000_000n;

let core: Core;
const accounts = { evm: '', solana: '' };
before(async () => {
  const { configId } = await enabledProxy(instance.root, {});
  const otpSigner = await publishedKey(instance.url, 'otp-signer');
  core = await newCore(instance.url, instance.credentials.organizationId, configId);
  const contact = 'ada@example.com';
  const verificationToken = await verifiedBy(core, mail, otpSigner, contact);
  await core.signUpWithOtp({ verificationToken, contact, otpType: published.OtpType.Email });
  await core.createWallet({ walletName: 'Mine', accounts: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_SOLANA'] });
  const [wallet] = await core.fetchWallets();
  const of = (format: string) => wallet!.accounts.find(({ addressFormat }) => addressFormat === format)!.address;
  Object.assign(accounts, { evm: of('ADDRESS_FORMAT_ETHEREUM'), solana: of('ADDRESS_FORMAT_SOLANA') });
  await rpc(anvil.url, 'anvil_setBalance', [accounts.evm, `0x${parseEther('10').toString(16)}`]);
  solana.airdrop(accounts.solana, 10n * LAMPORTS);
});

const polled = (sendTransactionStatusId: string) =>
  core.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 50 });

/** A transfer as clients make it: unsigned, in hex. */
function transfer(from: string, lamports: bigint): string {
  const payer = new PublicKey(from);
  const instructions = [SystemProgram.transfer({ fromPubkey: payer, toPubkey: PEER, lamports })];
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: PublicKey.default.toBase58(), instructions });
  return Buffer.from(new VersionedTransaction(message.compileToV0Message()).serialize()).toString('hex');
}

test('on an EVM chain, in both versions of the activity', async () => {
  const from = accounts.evm;
  const value = parseEther('1').toString();
  for (const transaction of [
    { from, caip2, to: FRIEND, value },
    { from, caip2, calls: [{ to: FRIEND, value }] },
  ]) {
    const { txStatus, eth } = await polled(await core.ethSendTransaction({ transaction }));
    assert.equal(txStatus, 'INCLUDED');
    const receipt = await rpc<{ status: string; to: string }>(anvil.url, 'eth_getTransactionReceipt', [eth!.txHash]);
    assert.deepEqual([receipt.status, receipt.to], ['0x1', FRIEND]);
  }
  const all = { from, caip2, to: FRIEND, value: parseEther('1000').toString() };
  await assert.rejects(async () => polled(await core.ethSendTransaction({ transaction: all })), /insufficient funds/i);
});

test('on Solana', async () => {
  const unsignedTransaction = transfer(accounts.solana, LAMPORTS);
  const transaction = { unsignedTransaction, signWiths: [accounts.solana], caip2: 'solana:devnet' as const };
  const { txStatus, solana: told } = await polled(await core.solSendTransaction({ transaction }));
  assert.equal(txStatus, 'INCLUDED');
  assert.ok(solana.landed().some(({ signature, succeeded }) => signature === told!.signature && succeeded));
  assert.equal(solana.svm.getBalance(PEER.toBase58() as never), LAMPORTS);
  const much = { ...transaction, unsignedTransaction: transfer(accounts.solana, 1000n * LAMPORTS) };
  await assert.rejects(
    async () => polled(await core.solSendTransaction({ transaction: much })),
    /insufficient|custom program error/i,
  );
});

test('on Solana, with the published client for servers', async () => {
  const { apiPublicKey, apiPrivateKey, organizationId } = instance.credentials;
  const client = new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey,
    apiPrivateKey,
    defaultOrganizationId: organizationId,
  }).apiClient();
  const wallet = await instance.root.submit('CREATE_WALLET', { walletName: 'Servers', accounts: [solanaAccount(0)] });
  const [from] = resultOf(wallet, 'createWalletResult').addresses as string[];
  solana.airdrop(from!, 10n * LAMPORTS);
  const asked = { unsignedTransaction: transfer(from!, LAMPORTS), signWiths: [from!], caip2: 'solana:devnet' as const };
  const { sendTransactionStatusId } = await client.solSendTransaction(asked);
  const { txStatus, solana: told } = await client.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 50 });
  assert.equal(txStatus, 'INCLUDED');
  assert.ok(solana.landed().some(({ signature }) => signature === told!.signature));
});
