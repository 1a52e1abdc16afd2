import { setTimeout as sleep } from 'node:timers/promises';
import { QUIET } from '../../app/chain-nodes-of.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { failPoint, failPointsAround } from '../../base/fail-point.ts';
import { type EvmFees, feesFor } from '../../chain-io/nodes/evm/fees.ts';
import type { EvmNode } from '../../chain-io/nodes/evm/node.ts';
import { mayBeSent } from '../../chain-io/nodes/evm/outcomes.ts';
import { costOf } from '../../chain-io/nodes/evm/values.ts';
import { bound, dearest, feesOf, mostCost, priceOf } from '../../chain-io/sends/evm/fees.ts';
import { chainView } from '../../chain-io/sends/evm/lane/chain-view.ts';
import { assignNonces } from '../../chain-io/sends/evm/lane/nonces/assign.ts';
import { chainNonces, noBelief } from '../../chain-io/sends/evm/lane/nonces/believed.ts';
import { evmRow } from '../../chain-io/sends/evm/lane/rows.ts';
import { transition, unlessChanged } from '../../chain-io/sends/evm/lane/states.ts';
import { rawIntent } from '../../chain-io/sends/evm/raw.ts';
import { dataFeeOf } from '../../chain-io/sends/gas/data-fee.ts';
import { LostAccount } from '../../chain-io/sends/lane.ts';
import { hold, LEASE_MS, release, renew } from '../../chain-io/worker/hold.ts';
import { newTransaction } from '../../chains/ethereum/new-transaction.ts';
import { readSignedTransaction } from '../../chains/ethereum/signed-transaction.ts';
import { type AccountKey, type EvmIntent, NEVER, type Send } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';
import type { Asked, Outcome, Parts } from './parts.ts';
import { amountFor, isWithdrawal, MOST, type Quote, requireCounted, type UnderWay, WITHDRAWING_ORGANIZATION } from './quote.ts';
import { insert, openWithdrawal, type Stored } from './stored.ts';
import type { Wish } from './wish.ts';

type Hex = `0x${string}`;

/** The cost of a plain transfer nearly everywhere. */
const TRANSFER_GAS = 21_000n;
/** The length of a transfer. */
const BYTES = 120;

/** The transaction is never replaced by one that pays more. So it may immediately pay as much as a replacement. */
function patient(fees: EvmFees, percent: number): EvmFees {
  if (fees.kind === 'legacy') return fees;
  return { ...fees, maxFeePerGas: (fees.maxFeePerGas * BigInt(percent)) / 100n };
}

async function mostOf(read: Reader, send: Send, settings: Parts['config']['sends']): Promise<bigint> {
  const intent = send.intent as EvmIntent;
  const attempts = send.state === 'queued' ? [] : await read.sendAttempts.ofSend(send.organizationId, send.id);
  const out = dearest(attempts)?.fees;
  const prices = [bound(intent, null, settings), ...(out == null ? [] : [priceOf(feesOf(out))])];
  const value = isWithdrawal(send) ? BigInt(intent.calls[0]!.value) : 0n;
  return mostCost(intent, prices[1] !== undefined && prices[1] > prices[0]! ? prices[1] : prices[0]!) + value;
}

/** `latest`: transactions below it are in a block already. */
async function underWay(read: Reader, key: AccountKey, latest: number, { sends }: Parts['config']): Promise<UnderWay> {
  const found = [
    await read.sendsOfAccount.due(key, 'queued', NEVER, MOST),
    await read.sendsOfAccount.byNonce(key, 'signed', { from: latest, limit: MOST }),
    await read.sendsOfAccount.byNonce(key, 'sent', { from: latest, limit: MOST }),
  ];
  requireCounted(...found);
  const all = found.flat();
  let units = 0n;
  for (const send of all) units += await mostOf(read, send, sends);
  return { count: all.length, units };
}

type EvmQuote = Quote & { gas: bigint; fees: EvmFees };

/** The withdrawal as it would be now. Throws CommandFailed if it is not possible. */
export async function quoteEvm(
  node: EvmNode,
  read: Reader,
  config: Parts['config'],
  { wish, from }: { wish: Wish; from: string },
): Promise<EvmQuote> {
  const [account, to] = [from as Hex, wish.to as Hex];
  const [balance, latest, prices, dataFee, code] = await Promise.all([
    node.balance(account),
    node.nonce(account, 'latest'),
    node.prices(),
    dataFeeOf(node, BYTES),
    node.code(to),
  ]);
  const fees = patient(feesFor(prices), config.sends.feeLimitPercent);
  const known = {
    kind: 'eip155' as const,
    from,
    balance,
    underWay: await underWay(read, { caip2: node.caip2, account: from }, Number(latest), config),
  };
  const feeOf = (gas: bigint) => gas * priceOf(fees) + dataFee;
  const value = amountFor(wish, { ...known, fee: feeOf(TRANSFER_GAS) });
  const estimated = await node.estimateGas({ from: account, to, value, data: '0x' });
  if ('refused' in estimated)
    throw new CommandFailed(`${to} does not accept coins: ${estimated.refused.message}. Name another address`);
  const gas = estimated.gas <= TRANSFER_GAS ? TRANSFER_GAS : (estimated.gas * 6n) / 5n;
  const fee = feeOf(gas);
  const warnings = code === '0x' ? [] : [`${to} is a contract: make sure that its coins can be withdrawn`];
  return { ...known, to, fee, gas, fees, amount: amountFor(wish, { ...known, fee }), warnings };
}

/** How long it waits until the paymaster's nonce is certain, and how often it asks meanwhile. */
const CERTAIN_WITHIN_MS = 40_000;
const ASK_EVERY_MS = 1_000;

/** If another process took the account meanwhile, it is taken again. */
const TRIES = 5;

async function makeOnce(node: EvmNode, parts: Parts, wish: Wish, asked: Asked): Promise<Stored> {
  const { store, clock, ids, config, paymaster } = parts;
  const { read } = store;
  const account = paymaster.address('eip155');
  const key = { caip2: node.caip2, account };
  const owner = ids.next();
  const open = await store.transaction(async (tx) => {
    await tx.sendAccounts.lock({ ...key, kind: 'evm' });
    const found = await openWithdrawal(tx, node.caip2);
    if (found === undefined && !(await tx.sendAccounts.take(key, owner, clock.now() + LEASE_MS)))
      throw new CommandFailed('this program is older than its database: run the command of the newer program');
    return found;
  });
  if (open !== undefined) return open;
  const held = hold({ store, clock }, { kind: 'evm', key, owner, copiedAt: 0 });
  const renewing = setInterval(() => void renew({ store, clock }, [held]).catch(() => {}), LEASE_MS / 3);
  try {
    const seen = (await read.sendAccounts.get(key))!;
    const chain = chainView(node, QUIET.elapsed, config.sends.finalityBlocks);
    const belief = noBelief();
    const ask = () => chainNonces({ read, key, node, chain, belief, elapsed: QUIET.elapsed, log: QUIET.log });
    let said = await ask();
    // The blocks of some seconds confirm a single endpoint's answer.
    for (let waited = 0; said.doubt !== undefined && waited < CERTAIN_WITHIN_MS; waited += ASK_EVERY_MS) {
      await sleep(ASK_EVERY_MS);
      said = await ask();
    }
    if (said.doubt !== undefined) throw new CommandFailed(`${said.doubt}, and was not in ${CERTAIN_WITHIN_MS / 1000} seconds`);
    const nonces = await assignNonces({ read, key, clock }, seen, said);
    const taken = nonces.isFull() ? undefined : nonces.take({ intent: { nonce: null, form: 'call' } }, 1);
    if (taken === undefined || 'error' in taken)
      throw new CommandFailed('too many sends of the paymaster are pending: run the command again when some are mined');
    const { amount, gas, fees } = await quoteEvm(node, read, config, { wish, from: account });
    const transaction = newTransaction({
      chainId: node.chainId,
      nonce: BigInt(taken.nonce),
      gas,
      to: wish.to as Hex,
      value: amount,
      data: '0x',
      fees,
    });
    const { bytes, hash } = transaction.signed(paymaster.signDigest(transaction.digest));
    const signed = Buffer.from(bytes);
    const intent = rawIntent(readSignedTransaction(signed), `0x${signed.toString('hex')}`);
    const id = ids.next();
    const stored: Stored = { ...asked, sendId: id, hash, to: wish.to, amount: String(amount), isTold: false };
    await held.claimed.transaction(async (tx, row) => {
      if (row.nextNonce !== seen.nextNonce) throw new LostAccount('another process used its nonces');
      const send = { ...key, id, kind: 'evm', intent, nonce: taken.nonce } as const;
      await insert(tx, { send, attempt: { signed, hash, fees: intent.fees, lastValidBlockHeight: null }, stored }, clock.now());
      await tx.sendAccounts.change(row, { nextNonce: nonces.next() });
    });
    return stored;
  } finally {
    clearInterval(renewing);
    await release({ store, clock }, [held], 0);
  }
}

/**
 * Takes the paymaster's account, signs with its next nonce, and stores that, all as its lane does. Returns an open withdrawal
 * instead, if there is one.
 */
export async function makeEvm(node: EvmNode, parts: Parts, wish: Wish, asked: Asked): Promise<Stored> {
  for (let tries = 1; ; tries++)
    try {
      return await makeOnce(node, parts, wish, asked);
    } catch (error) {
      if (!(error instanceof LostAccount)) throw error;
      if (tries === TRIES) throw new CommandFailed('other processes keep holding the paymaster’s account: run the command again');
    }
}

/** Refusals that will not change later. */
const isRefusal = (outcome: string): boolean =>
  !['rate limited', 'unavailable', 'nonce too high', 'underpriced'].includes(outcome);

/**
 * Gives it to the nodes; this may be repeated. If all refuse it for certain, that is noted. The account's lane then has its nonce
 * taken by a transaction that does nothing.
 */
export async function giveEvm(
  node: EvmNode,
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { sendId }: Stored,
): Promise<void> {
  const [attempt] = await store.read.sendAttempts.ofSend(WITHDRAWING_ORGANIZATION, sendId);
  if (attempt === undefined) return;
  await failPoint('before broadcast');
  const { outcome, answers } = await node.send(`0x${attempt.signed.toString('hex')}`);
  if (mayBeSent(outcome) || !isRefusal(outcome)) return;
  const message = answers.find((answer) => answer.outcome === outcome)?.text || outcome;
  const mark = () =>
    store.transaction(async (tx) => {
      const send = await tx.sends.get(WITHDRAWING_ORGANIZATION, sendId);
      if (send?.state !== 'sent' || send.error !== null) return;
      const now = clock.now();
      const error = { message: `every node refused it: ${message}` };
      await transition(tx, evmRow(send), 'refused for good', { error, dueAt: now }, now);
      await tx.sendAccounts.makeDue(send, now);
    });
  await unlessChanged(failPointsAround('look-again', mark));
}

export async function lookEvm(node: EvmNode, { hash }: Stored): Promise<Outcome> {
  const { value } = await node.receipt(hash as Hex);
  if (value === undefined) return { is: 'waiting' };
  const error = value.succeeded ? undefined : 'its transaction failed when it was mined, and cost only its fee';
  return { is: 'landed', block: String(value.blockNumber), fee: costOf(value), error };
}
