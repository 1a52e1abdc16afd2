import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { getBase58Decoder } from '@solana/kit';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { Client } from '../../support/client.ts';
import { resultOf } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';
import { newAccounts, type Sending, setAccount, sharedSending } from '../sends/solana/support.ts';

export const CAIP2 = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
export const SOL = { caip19: `${CAIP2}/slip44:501`, symbol: 'SOL', name: 'Solana', decimals: 9 };
export const MINT = new PublicKey(Buffer.alloc(32, 55));
export const TOKENS_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const token = { caip19: `${CAIP2}/token:${MINT.toBase58()}`, symbol: 'HELD', name: 'The HELD', decimals: 6 };

/** As the published programs derive it. */
export const tokenAccountOf = (owner: PublicKey): PublicKey =>
  PublicKey.findProgramAddressSync([owner.toBuffer(), TOKENS_PROGRAM.toBuffer(), MINT.toBuffer()], ASSOCIATED)[0];

function tokensFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-scan-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tokens.json');
  writeFileSync(file, JSON.stringify([token]));
  return file;
}

/** An instance that scans a Solana chain, and an account outside it that has everything. */
export async function scanningSolana(env: Record<string, string> = {}, others: readonly string[] = []) {
  const receiver = await startReceiver();
  after(() => receiver.close());
  const TOKENS = tokensFile();
  const sending = await sharedSending({ SCAN: CAIP2, TOKENS, OUTBOUND_ALLOW: receiver.host, ...env }, others);
  const { node, instance } = sending;
  const { read } = instance.engine.store;
  const giver = Keypair.fromSeed(Buffer.alloc(32, 41));
  node.airdrop(giver.publicKey.toBase58(), 10n ** 13n);

  /** Puts a token account of an owner on the chain. */
  function putTokens(owner: PublicKey, amount: bigint, account = tokenAccountOf(owner)): PublicKey {
    const data = Buffer.alloc(165);
    MINT.toBuffer().copy(data, 0);
    owner.toBuffer().copy(data, 32);
    data.writeBigUInt64LE(amount, 64);
    // Initialized.
    data[108] = 1;
    setAccount(node, account, TOKENS_PROGRAM, data);
    return account;
  }
  const mint = Buffer.alloc(82);
  mint[44] = token.decimals;
  mint[45] = 1;
  setAccount(node, MINT, TOKENS_PROGRAM, mint);
  putTokens(giver.publicKey, 10n ** 15n);

  function moveTokens(from: PublicKey, to: PublicKey, amount: bigint): TransactionInstruction {
    const data = Buffer.alloc(9);
    data[0] = 3;
    data.writeBigUInt64LE(amount, 1);
    const keys = [tokenAccountOf(from), to].map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
    keys.push({ pubkey: from, isSigner: true, isWritable: false });
    return new TransactionInstruction({ programId: TOKENS_PROGRAM, keys, data });
  }

  /** A transaction of the giver, on the chain at once. Returns its signature. */
  async function give(...instructions: TransactionInstruction[]): Promise<string> {
    const recentBlockhash = node.svm.latestBlockhash();
    const message = new TransactionMessage({ payerKey: giver.publicKey, recentBlockhash, instructions }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([giver]);
    const encoded = Buffer.from(transaction.serialize()).toString('base64');
    await rpc(node.url, 'sendTransaction', [encoded, { encoding: 'base64', skipPreflight: true }]);
    const signature = getBase58Decoder().decode(transaction.signatures[0]!);
    assert.ok(node.landed().some((one) => one.signature === signature));
    return signature;
  }
  const coins = (to: PublicKey, lamports: bigint) =>
    SystemProgram.transfer({ fromPubkey: giver.publicKey, toPubkey: to, lamports });
  const tokens = (to: PublicKey, amount: bigint, account = tokenAccountOf(to)) => moveTokens(giver.publicKey, account, amount);

  /** Waits until every address was checked after this moment. */
  async function scanned(): Promise<void> {
    // The place may be of a round that began before; it moves only with a later slot.
    node.advance(1);
    const slot = Number(node.svm.getClock().slot);
    await waitFor('the scan of the latest slot', async () => ((await read.scan.place(CAIP2))?.number ?? 0) >= slot);
  }

  /** A new address that is watched. */
  const unwatchedAccount = async (lamports = 0n, client: Client = instance.root): Promise<PublicKey> =>
    (await newAccounts(sending as Sending, client, 1, lamports))[0]!;

  async function newAccount(lamports = 0n, client: Client = instance.root): Promise<PublicKey> {
    const made = await unwatchedAccount(lamports, client);
    await waitFor('the address is watched', () => read.scan.address(CAIP2, made.toBase58()));
    return made;
  }

  async function listen(client: Client, path: string) {
    const eventTypes = ['BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'];
    const subscriptions = eventTypes.map((eventType) => ({ eventType }));
    const parameters = { url: `http://${receiver.host}${path}`, name: 'Receiver', subscriptions };
    resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  const told = (path: string) => receiver.taken(path).map(({ body }) => JSON.parse(body) as any);

  /** Waits until every event so far is delivered. */
  async function delivered(): Promise<void> {
    await scanned();
    await waitFor('all deliveries', async () => {
      const [events] = await instance.raw('SELECT count(*) AS n FROM webhook_events WHERE fanned_out_at IS NULL');
      const [due] = await instance.raw("SELECT count(*) AS n FROM webhook_deliveries WHERE status = 'PENDING'");
      return Number(events!.n) + Number(due!.n) === 0;
    });
  }

  function tokensOf(owner: PublicKey): bigint {
    const account = node.svm.getAccount(tokenAccountOf(owner).toBase58() as never);
    return account.exists ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
  }

  return {
    ...sending,
    tokensOf,
    giver,
    putTokens,
    moveTokens,
    give,
    coins,
    tokens,
    scanned,
    newAccount,
    unwatchedAccount,
    listen,
    told,
    delivered,
  };
}
