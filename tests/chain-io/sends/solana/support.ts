import assert from 'node:assert/strict';
import { after } from 'node:test';
import { PublicKey, SystemProgram, type TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import type { Answer, Client } from '../../../support/client.ts';
import { resultOf } from '../../../support/client.ts';
import { type Instance, sharedInstance } from '../../../support/instance.ts';
import { type Liar, startLiar } from '../../../support/rpc-liar.ts';
import { type SolanaNode, startSolanaNode } from '../../../support/solana-node.ts';
import { waitFor } from '../../../support/wait.ts';

export const TYPE = 'SOL_SEND_TRANSACTION_V2';
export const DEVNET = 'solana:devnet';
export const FRIEND = new PublicKey(Buffer.alloc(32, 77));
/** The blockhash of a transaction that has none. */
export const NONE = PublicKey.default.toBase58();

export const solanaAccount = (index: number) => ({
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: `m/44'/501'/${index}'/0'`,
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
});

export type Sending = { instance: Instance; node: SolanaNode; liar: Liar; url: string };

/** A service that sends to a node of litesvm, behind one that can lie. */
export async function sharedSending(env: Record<string, string> = {}, others: readonly string[] = []): Promise<Sending> {
  const node = await startSolanaNode('devnet');
  const liar = await startLiar(node.url);
  after(async () => {
    await liar.stop();
    await node.stop();
  });
  const instance = await sharedInstance({ RPC_URL_SOLANA_DEVNET: [liar.url, ...others].join(','), ...env });
  return { instance, node, liar, url: liar.url };
}

/** Puts an account on the chain, as it is. */
export const setAccount = ({ svm }: SolanaNode, address: PublicKey, owner: PublicKey, data: Buffer) =>
  void svm.setAccount({
    address: address.toBase58(),
    data,
    executable: false,
    lamports: 10_000_000n,
    programAddress: owner.toBase58(),
    space: BigInt(data.length),
  } as never);

let wallets = 0;

/** New accounts of a client's organization, with a SOL each unless told otherwise. */
export async function newAccounts(
  { node }: Sending,
  client: Client,
  count: number,
  lamports = 1_000_000_000n,
): Promise<PublicKey[]> {
  const accounts = Array.from({ length: count }, (_, i) => solanaAccount(i));
  const made = await client.submit('CREATE_WALLET', { walletName: `Wallet ${++wallets}`, accounts });
  const { addresses } = resultOf(made, 'createWalletResult') as { addresses: string[] };
  if (lamports > 0n) for (const address of addresses) node.airdrop(address, lamports);
  return addresses.map((address) => new PublicKey(address));
}

type Shape = { payer: PublicKey; blockhash?: string; legacy?: boolean };

/** Hex of a transaction without signatures, and without a blockhash unless it is given. */
export function transaction({ payer, blockhash = NONE, legacy }: Shape, ...instructions: TransactionInstruction[]): string {
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: blockhash, instructions });
  const compiled = legacy ? message.compileToLegacyMessage() : message.compileToV0Message();
  return Buffer.from(new VersionedTransaction(compiled).serialize()).toString('hex');
}

let amounts = 1_000_000;

/** Never the same twice, so that no two transactions are one. */
export const transfer = (from: PublicKey, lamports = ++amounts) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: FRIEND, lamports });

export const sendOf = (signWiths: readonly PublicKey[], unsignedTransaction: string, more: object = {}) => ({
  unsignedTransaction,
  signWiths: signWiths.map((key) => key.toBase58()),
  caip2: DEVNET,
  ...more,
});

export const idOf = (answer: Answer): string => resultOf(answer, 'solSendTransactionResultV2').sendTransactionStatusId;

// biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
export type Status = any;

export async function statusOf(client: Client, sendTransactionStatusId: string): Promise<Status> {
  const answer = await client.query('get_send_transaction_status', { sendTransactionStatusId });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const OVER = ['INCLUDED', 'FAILED'];

/** Waits until a send is so. One that ended otherwise fails the test. */
export async function until(client: Client, id: string, txStatus: string): Promise<Status> {
  return waitFor(`the send is ${txStatus}`, async () => {
    const status = await statusOf(client, id);
    if (status.txStatus === txStatus) return status;
    if (OVER.includes(txStatus) && OVER.includes(status.txStatus)) assert.fail(`not ${txStatus}: ${JSON.stringify(status)}`);
  });
}

/** The signed transaction of a send, as web3.js reads it. */
export async function attemptsOf({ instance }: Sending, id: string) {
  const send = await sendRow(instance, id);
  const attempts = await instance.engine.store.read.sendAttempts.ofSend(send.organizationId, id);
  return attempts.map((attempt) => ({ ...attempt, sent: VersionedTransaction.deserialize(attempt.signed) }));
}

/** Sends of the root organization are looked for first. */
export async function sendRow({ engine, credentials }: Instance, id: string) {
  const found = await engine.store.read.sends.get(credentials.organizationId, id);
  if (found === undefined) throw new Error('no such send');
  return found;
}

/** Waits until its row is so. `meanwhile`: what happens between two looks. */
export async function whenRow({ instance }: Sending, id: string, state: string, meanwhile = () => {}) {
  return waitFor(
    `the row is ${state}`,
    async () => {
      const row = await sendRow(instance, id);
      if (row.state === state) return row;
      meanwhile();
    },
    100,
  );
}
