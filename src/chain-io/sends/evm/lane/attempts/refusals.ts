import { failPointsAround } from '../../../../../base/fail-point.ts';
import type { SendAttempt } from '../../../../../model/send.ts';
import type { Writer } from '../../../../../store/types.ts';
import type { EvmSent } from '../../../../nodes/evm/node.ts';
import { plainFailure } from '../../../error.ts';
import { feesOf, mostCost, priceOf } from '../../fees.ts';
import { type Backoff, withBackoff } from '../backoff.ts';
import type { EvmRow, OnChain, Owner, Ready, Rows, Signing } from '../parts.ts';
import { current, isDropped } from '../rows.ts';
import { transition, unlessChanged } from '../states.ts';
import type { Broadcaster, Refused } from './broadcast.ts';
import { drop } from './drop.ts';
import { voidsMessage } from './message-fate.ts';
import { replace } from './replace.ts';
import { supersede } from './supersede.ts';

/** The wait after a temporary refusal. */
const LATER_MS = 1_000;
/** The wait after a refusal that will not change soon. */
const MUCH_LATER_MS = 10_000;
/** The wait after an unknown error, or after a refusal because of other pending transactions. */
const UNCLEAR_MS = 60_000;

const textOf = ({ answers, outcome }: EvmSent): string =>
  (answers.find((answer) => answer.outcome === outcome) ?? answers[0])?.text || outcome;

/** Adds the account to the error: nodes do not say whose funds they mean. */
function refusalText({ send: { account, sponsored }, attempt, sent }: Refused): string {
  const text = textOf(sent);
  if (sent.outcome !== 'insufficient funds') return text;
  if (sponsored) return `the paymaster ${account} has too few coins for the gas, and its operator must send it more: ${text}`;
  if (attempt.purpose === 'cancel') return `send ${account} more coins for the gas of the cancel: ${text}`;
  return `${account} has too few coins for the value and the gas: ${text}`;
}

/** Notes the nodes' error for a send that was certainly not accepted with this attempt: it is tried again later. */
function noteRefused({ claimed, clock }: Owner, refused: Refused, ms: number): Promise<EvmRow | undefined> {
  const { send, attempt, isNew, sent } = refused;
  // `list_sends` shows it for a cancel.
  const text = attempt.purpose === 'cancel' ? refusalText(refused) : textOf(sent);
  const note = async (tx: Writer) => {
    const now = clock.now();
    await tx.sendAttempts.note(attempt, { mayBeSent: !isNew, said: plainFailure(text).message });
    return transition(tx, send, 'refused for now', { dueAt: now + Math.ceil(ms) }, now);
  };
  return unlessChanged(failPointsAround('look-again', () => claimed.transaction(note)));
}

/** Ends a send that no node takes, and that none may have. */
async function giveUp(signing: Signing, refused: Refused): Promise<Ready | undefined> {
  const { send, attempt } = refused;
  const { claimed, clock, read } = signing;
  const error = plainFailure(refusalText(refused));
  const mark = async (tx: Writer) => {
    await tx.sendAttempts.note(attempt, { mayBeSent: false, said: error.message });
    return transition(tx, send, 'refused for good', { error, dueAt: clock.now() + MUCH_LATER_MS }, clock.now());
  };
  const marked = await failPointsAround('look-again', () => claimed.transaction(mark));
  return drop(signing, marked, await read.sendAttempts.ofSend(send.organizationId, send.id));
}

/** Whether all endpoints were asked, and none knows any of them. */
async function isNowhere({ node }: Pick<OnChain, 'node'>, attempts: readonly SendAttempt[]): Promise<boolean> {
  for (const { hash } of attempts) {
    const { value, answered, endpoints } = await node.transaction(hash as `0x${string}`);
    if (value !== undefined || answered < endpoints) return false;
  }
  return true;
}

/**
 * The node returned an unknown error; the transaction may have been accepted. It may be the next one of its account, with no
 * endpoint knowing it after a while. Then a transaction that does nothing takes its nonce: the one that gets into a block counts.
 */
async function afterUnclear(signing: Signing, { send, attempt, sent }: Refused, latest: number): Promise<Ready | undefined> {
  const { read, claimed, clock } = signing;
  const said = plainFailure(textOf(sent)).message;
  await claimed.transaction((tx) => tx.sendAttempts.note(attempt, { mayBeSent: true, said }));
  const attempts = await read.sendAttempts.ofSend(send.organizationId, send.id);
  const mine = current(send, attempts);
  const newest = mine.at(-1)!;
  if (send.nonce !== latest || (newest.purpose === 'cancel' && !voidsMessage(newest))) return undefined;
  // One refusal is too little, even long after it was signed.
  if (attempt.said === '' || clock.now() - newest.createdAt < UNCLEAR_MS) return undefined;
  if (!(await isNowhere(signing, mine))) return undefined;
  const error = plainFailure(`no node takes it, and none says why in known words: ${said}`);
  return supersede(signing, send, attempts, { isNowhere: true, cause: { wish: send.wish, error } });
}

/**
 * Pools add up the maximum cost of all pending transactions of one account. Those before it land, and cost less. The first one
 * waits a while for those behind it.
 */
async function waitsForFunds(
  { node, clock }: Pick<OnChain, 'node'> & Pick<Rows, 'clock'>,
  { send, attempt }: Refused,
  latest: number,
): Promise<boolean> {
  const { intent, account, sponsored, nonce } = send;
  const value = sponsored ? 0n : intent.calls.reduce((sum, call) => sum + BigInt(call.value), 0n);
  const needs = mostCost(intent, priceOf(feesOf(attempt.fees ?? intent.fees))) + value;
  if ((await node.balance(account as `0x${string}`)) < needs) return false;
  return nonce! > latest || clock.now() - attempt.createdAt < UNCLEAR_MS;
}

async function afterRefusal(signing: Signing, refused: Refused, latest: number): Promise<Ready | undefined> {
  const { send, attempt, isNew, sent } = refused;
  const { outcome, retryAfterMs } = sent;
  const attemptsOf = () => signing.read.sendAttempts.ofSend(send.organizationId, send.id);
  if (outcome === 'unknown') return afterUnclear(signing, refused, latest);
  if (outcome === 'rate limited' || outcome === 'unavailable' || outcome === 'nonce too high') {
    await noteRefused(signing, refused, Math.max(retryAfterMs ?? 0, LATER_MS));
    return undefined;
  }
  const attempts = await attemptsOf();
  if (outcome === 'underpriced') {
    const noted = await noteRefused(signing, refused, MUCH_LATER_MS);
    if (noted === undefined || attempt.purpose !== 'send') return undefined;
    return (isDropped(noted) ? supersede : replace)(signing, noted, attempts);
  }
  const others = current(send, attempts).some(({ number, mayBeSent }) => number !== attempt.number && mayBeSent);
  if (!isNew || others || attempt.purpose !== 'send') {
    const noted = await noteRefused(signing, refused, MUCH_LATER_MS);
    // If voiding is refused, for example for lack of coins, a transaction that does nothing may still be taken.
    if (noted === undefined || !isNew || !voidsMessage(attempt)) return undefined;
    return supersede(signing, noted, await attemptsOf());
  }
  if (outcome === 'insufficient funds' && (await waitsForFunds(signing, refused, latest))) {
    await noteRefused(signing, refused, MUCH_LATER_MS);
    return undefined;
  }
  return giveUp(signing, refused);
}

/**
 * Handles refused transactions: retries later or with higher fees, or gives up. The last nonces come first, so that they can be
 * given back.
 */
export async function afterRefusals(signing: Signing, backoff: Backoff, flow: Broadcaster, latest: number): Promise<void> {
  const refused = flow.refused();
  refused.sort((a, b) => b.send.nonce! - a.send.nonce!);
  const ready: Ready[] = [];
  for (const one of refused) {
    const next = await withBackoff(backoff, one.send, () => afterRefusal(signing, one, latest));
    if (next !== undefined) ready.push(next);
  }
  await flow.push(ready.sort((a, b) => a.send.nonce! - b.send.nonce!));
}
