/** Conditions that hold after every schedule, at whatever moment a process was killed. */
import { BURNING } from '../../../../src/chains/ethereum/gas-station.ts';
import { type Look, type Outcome, REFUSED, type Status, type Tracked, type Transaction } from './model.ts';

const RANK: Record<Status, number> = { INITIALIZED: 0, BROADCASTING: 1, INCLUDED: 2, FAILED: 2 };

const over = (look: Look | undefined) => look?.status === 'INCLUDED' || look?.status === 'FAILED';

/** Whether each look at the send told the truth. */
function looks({ looks }: Tracked, reorganized: boolean): string[] {
  const found: string[] = [];
  for (const [i, look] of looks.entries()) {
    const before = looks[i - 1];
    // The service notices a reorganization a little later: its final answer is true.
    if (look.status === 'INCLUDED' && !look.onChain && (!reorganized || i === looks.length - 1))
      found.push(`INCLUDED, and the chain has no receipt of ${look.hash || 'no hash'}`);
    if (before === undefined) continue;
    if (before.status === 'FAILED' && look.status !== 'FAILED') found.push(`FAILED, and then ${look.status}`);
    const fell = reorganized && before.status === 'INCLUDED' && look.status === 'BROADCASTING';
    if (RANK[look.status] < RANK[before.status] && !fell) found.push(`${before.status}, and then ${look.status}`);
    if (before.status === 'INCLUDED' && look.status === 'FAILED') found.push('INCLUDED, and then FAILED');
    if (before.status === 'INCLUDED' && look.status === 'INCLUDED' && before.hash !== look.hash && !reorganized)
      found.push(`INCLUDED as ${before.hash}, and then as ${look.hash}`);
  }
  return [...new Set(found)];
}

/** Whether it happened exactly as often as the service said. */
function landing(one: Tracked, outcome: Outcome): string[] {
  const { order, acks, looks } = one;
  const effects = outcome.effects.get(order.number)!;
  const mined = outcome.ofOrder.get(order.number) ?? [];
  const times = mined.length;
  const found: string[] = [];
  const last = looks.at(-1);
  const isStored = outcome.stored.has(order.number);
  if (times > 1) found.push(`its transaction is in blocks ${times} times: ${mined.map(({ hash }) => hash).join(', ')}`);
  if (effects.some((each) => each > 1)) found.push(`it took effect ${Math.max(...effects)} times`);
  if (new Set(effects).size > 1) found.push(`of its calls only some took effect: ${effects.join(', ')}`);
  if (acks.length === 0) {
    if (times > 0 || effects.some((each) => each > 0)) found.push('it was never acknowledged nor stored, and landed');
    return found;
  }
  if (!isStored) found.push('it was acknowledged, and is not stored');
  if (!over(last)) return [...found, `it is stuck: ${last?.status ?? 'never seen'}`];
  if (last!.status === 'FAILED') {
    if (times > 0) found.push(`FAILED (${last!.error}), and its transaction is in a block`);
    if (effects.some((each) => each > 0)) found.push(`FAILED (${last!.error}), and it took effect`);
    const cancelled = order.change === 'cancel' && one.changeAcks.some((ack) => ack !== REFUSED);
    if (!cancelled) found.push(`FAILED, and nobody cancelled it: ${last!.error}`);
    return found;
  }
  if (times === 0) found.push('INCLUDED, and no transaction of it is in a block');
  else if (!mined.some(({ hash }) => hash === last!.hash)) found.push(`INCLUDED as ${last!.hash}, and ${mined[0]!.hash} landed`);
  const reverts = order.kind === 'reverts';
  if (!reverts && effects.some((each) => each === 0)) found.push('INCLUDED, and it had no effect');
  if (reverts !== (last!.error !== ''))
    found.push(reverts ? 'it reverted, and no error was told' : `INCLUDED with ${last!.error}`);
  return found;
}

/** The same body, sent again, is the same activity and the same send. */
function acks({ acks, changeAcks }: Tracked): string[] {
  const different = (what: string, ids: readonly string[]) =>
    new Set(ids).size > 1 ? [`${what}: ${[...new Set(ids)].join(', ')}`] : [];
  return [
    ...different(
      'its body was several activities',
      acks.map(({ activityId }) => activityId),
    ),
    ...different(
      'its body was several sends',
      acks.map(({ sendId }) => sendId),
    ),
    ...different('its change was several activities', changeAcks),
  ];
}

/** From an account to itself, or what spends the nonce of a message. */
const isNoop = ({ from, to, value, input }: Transaction) =>
  value === 0n && ((to === from && input === '0x') || input.startsWith(BURNING));

/** Transactions without an order, nonces that no transaction uses. */
function leftovers({ transactions, ofOrder, waiting, tracked }: Outcome): string[] {
  const known = new Set([...ofOrder.values()].flat());
  const strange = transactions.filter((each) => !known.has(each));
  const noops = strange.filter(isNoop);
  // A no-op takes the nonce of a cancelled send.
  const cancelled = tracked.filter(({ order }) => order.change === 'cancel').length;
  return [
    ...strange.filter((each) => !isNoop(each)).map(({ hash }) => `nobody ordered ${hash}, which is in a block`),
    ...(noops.length > cancelled ? [`${noops.length} no-ops are in blocks, and ${cancelled} sends were to be cancelled`] : []),
    ...waiting.map(({ from, nonce }) => `a transaction of ${from} with nonce ${nonce} still waits`),
  ];
}

/** A sentence for each condition that does not hold. */
export function violations(outcome: Outcome): string[] {
  const ofSends = outcome.tracked.flatMap((one) =>
    [
      ...(one.refused === undefined ? [] : [`refused: ${one.refused}`]),
      ...acks(one),
      ...looks(one, outcome.reorganized),
      ...landing(one, outcome),
    ].map((found) => `send ${one.order.number} (${one.order.kind}): ${found}`),
  );
  return [...ofSends, ...leftovers(outcome)];
}
