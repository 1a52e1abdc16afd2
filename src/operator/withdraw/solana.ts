import { base58 } from '@scure/base';
import { CommandFailed } from '../../base/command-failed.ts';
import { failPoint } from '../../base/fail-point.ts';
import type { SolanaNode } from '../../chain-io/nodes/solana/node.ts';
import { blockhashes, choose } from '../../chain-io/sends/solana/blockhash.ts';
import { askPrice, base64Of, tryOut, withBudget } from '../../chain-io/sends/solana/budget.ts';
import { outcomeOf } from '../../chain-io/sends/solana/outcome.ts';
import { solanaFailure } from '../../chains/solana/failure.ts';
import type { Message } from '../../chains/solana/message.ts';
import { greatestFee, SYSTEM, transferFromPayer } from '../../chains/solana/programs.ts';
import { readTransaction, SIGNATURE, unsigned } from '../../chains/solana/wire.ts';
import { ed25519 } from '../../crypto/ed25519.ts';
import { type AccountKey, NEVER, type Send } from '../../model/send.ts';
import type { SolanaIntent } from '../../model/solana-intent.ts';
import type { Reader } from '../../store/types.ts';
import type { Asked, Outcome, Parts } from './parts.ts';
import { amountFor, MOST, type Quote, requireCounted, type UnderWay, WITHDRAWING_ORGANIZATION } from './quote.ts';
import { end, insert, openWithdrawal, type Stored } from './stored.ts';
import { coinsOf, type Wish } from './wish.ts';

/** A transfer and the two instructions of a budget use 150 units each. */
const UNITS = 1_000n;
/** A node takes no more signatures in one request. */
const LOOKED_UP = 256;

function transfer(from: string, to: string, lamports: bigint, blockhash: string): Message {
  return {
    legacy: true,
    requiredSignatures: 1,
    readonlySigned: 0,
    readonlyUnsigned: 1,
    keys: [base58.decode(from), base58.decode(to), SYSTEM],
    blockhash: base58.decode(blockhash),
    instructions: [{ program: 2, ...transferFromPayer(1, lamports) }],
    lookups: [],
  };
}

/** Those that no block has. */
async function missing(node: SolanaNode, sent: readonly Send[]): Promise<Send[]> {
  const found: Send[] = [];
  for (let at = 0; at < sent.length; at += LOOKED_UP) {
    const some = sent.slice(at, at + LOOKED_UP);
    const statuses = await node.statuses(
      some.map(({ hash }) => hash),
      { history: true },
    );
    found.push(...some.filter((_, i) => statuses[i]!.value === undefined));
  }
  return found;
}

async function underWay(node: SolanaNode, read: Reader, key: AccountKey): Promise<UnderWay> {
  const [queued, signed, sent] = await Promise.all(
    (['queued', 'signed', 'sent'] as const).map((state) => read.sendsOfAccount.due(key, state, NEVER, MOST)),
  );
  requireCounted(queued!, signed!, sent!);
  const all = [...queued!, ...signed!, ...(await missing(node, sent!))];
  return { count: all.length, units: all.reduce((sum, { intent }) => sum + BigInt((intent as SolanaIntent).lamports), 0n) };
}

async function warningsOf(node: SolanaNode, to: string): Promise<string[]> {
  const account = await node.account(to);
  if (account?.executable) throw new CommandFailed(`${to} is a program: coins sent there are lost. Name another address`);
  const isOwned = account !== undefined && account.owner !== base58.encode(SYSTEM);
  if (isOwned || !ed25519.isPublicKey(base58.decode(to)))
    return [`${to} is an account of a program, such as a token account, not of a key: make sure that its coins can be withdrawn`];
  return account === undefined ? [`${to} has no coins yet: make sure that it is right`] : [];
}

type SolanaQuote = Quote & { message(blockhash: string): Message };

/** The withdrawal as it would be now. Throws CommandFailed if it is not possible. */
export async function quoteSolana(
  node: SolanaNode,
  read: Reader,
  { wish, from }: { wish: Wish; from: string },
): Promise<SolanaQuote> {
  const { to } = wish;
  const [balance, rent, waiting, warnings, price] = await Promise.all([
    node.balance(from),
    node.rent(0),
    underWay(node, read, { caip2: node.caip2, account: from }),
    warningsOf(node, to),
    askPrice(node, transfer(from, to, 1n, to)),
  ]);
  const messageOf = (lamports: bigint, blockhash: string) =>
    withBudget(transfer(from, to, lamports, blockhash), { limit: UNITS, price });
  const fee = greatestFee(messageOf(1n, to));
  const known = { kind: 'solana' as const, from, balance, fee, underWay: waiting };
  // An account has nothing, or at least its rent.
  const isAll = wish.amount === undefined || wish.amount + fee === balance;
  const keepsNothing = isAll && waiting.units === 0n;
  const amount = amountFor(wish, known, keepsNothing ? { dust: rent } : { least: rent });
  const tried = await tryOut(node, messageOf(amount, to));
  if (tried.err !== undefined) {
    const { message } = solanaFailure({ source: 'simulation', ...tried });
    throw new CommandFailed(
      `${coinsOf('solana', amount)} coins to ${to} fail in a simulation: ${message}. A new account must get ${coinsOf('solana', rent)} at least`,
    );
  }
  return { ...known, to, amount, warnings, message: (blockhash) => messageOf(amount, blockhash) };
}

/** Signs and stores it. Returns an open withdrawal instead, if there is one. */
export async function makeSolana(node: SolanaNode, parts: Parts, wish: Wish, asked: Asked): Promise<Stored> {
  const { store, clock, ids, paymaster } = parts;
  const from = paymaster.address('solana');
  const { message, amount, fee } = await quoteSolana(node, store.read, { wish, from });
  const { blockhash, last } = await choose(await blockhashes(node), 1);
  const signed = Buffer.from(unsigned(message(blockhash)));
  const { slots, start } = readTransaction(signed);
  signed.set(paymaster.signMessage(signed.subarray(start)), slots);
  const hash = base58.encode(signed.subarray(slots, slots + SIGNATURE));
  const id = ids.next();
  const stored: Stored = { ...asked, sendId: id, hash, to: wish.to, amount: String(amount), isTold: false };
  const intent: SolanaIntent = {
    transaction: base64Of(signed),
    signWiths: [],
    // It is never signed anew.
    blockhash: 'given',
    lastValidBlockHeight: String(last),
    nonceAccount: null,
    rent: '0',
    lamports: String(fee + amount),
    refused: null,
  };
  const key = { caip2: node.caip2, account: from, kind: 'solana' } as const;
  return store.transaction(async (tx) => {
    // So that two commands make one withdrawal.
    await tx.sendAccounts.lock(key);
    const open = await openWithdrawal(tx, node.caip2);
    if (open !== undefined) return open;
    const attempt = { signed, hash, fees: null, lastValidBlockHeight: Number(last) };
    await insert(tx, { send: { ...key, id, intent, nonce: null }, attempt, stored }, clock.now());
    await tx.sendAccounts.makeDue(key, clock.now());
    return stored;
  });
}

/** Gives it to the nodes; this may be repeated. */
export async function giveSolana(node: SolanaNode, { store }: Pick<Parts, 'store'>, { sendId }: Stored): Promise<void> {
  const [attempt] = await store.read.sendAttempts.ofSend(WITHDRAWING_ORGANIZATION, sendId);
  if (attempt === undefined) return;
  await failPoint('before broadcast');
  await node.send(attempt.signed.toString('base64'));
}

/** If no service follows it, the command itself notices that it expired. */
export async function lookSolana(
  node: SolanaNode,
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { sendId, hash }: Stored,
): Promise<Outcome> {
  const [found] = await node.statuses([hash], { history: true });
  const status = found?.value;
  if (status !== undefined && status.commitment !== 'processed') {
    const landed = (await node.transaction(hash).catch(() => undefined))?.value;
    const error =
      status.err === undefined
        ? undefined
        : `its transaction failed when it was mined: ${solanaFailure({ source: 'execution', ...landed, err: status.err }).message}`;
    return { is: 'landed', block: String(status.slot), fee: landed?.fee, error };
  }
  const [attempt] = await store.read.sendAttempts.ofSend(WITHDRAWING_ORGANIZATION, sendId);
  const send = await store.read.sends.get(WITHDRAWING_ORGANIZATION, sendId);
  if (attempt === undefined || send?.state !== 'sent' || status !== undefined) return { is: 'waiting' };
  const outcome = await outcomeOf({ node, clock }, { send, attempt }, await node.blockHeights('finalized'));
  if (outcome.is !== 'dead' && outcome.is !== 'failed') return { is: 'waiting' };
  const error = `it expired: it was not mined, and its blockhash was valid until block ${attempt.lastValidBlockHeight}`;
  await store.transaction((tx) => end(tx, send, error, clock.now()));
  return { is: 'failed', error };
}
