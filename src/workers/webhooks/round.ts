import { BACKGROUND_MS } from '../../base/background.ts';
import { batched } from '../../base/batches.ts';
import type { Clock } from '../../base/clock.ts';
import { Busy } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { delayAfter, TRIED_MS, withinTried } from '../../domain/webhooks/attempts.ts';
import { pauseEndpoint } from '../../domain/webhooks/pause.ts';
import { NEVER } from '../../model/send.ts';
import type { Receiver } from '../../model/webhook.ts';
import { hasRetriesToHasten, type WebhookDelivery, type WebhookQueue } from '../../model/webhook-delivery.ts';
import type { DeliveryOutcome, Store, Writer } from '../../store/types.ts';
import type { Attempted } from './attempt.ts';

/** How long a process may hold an endpoint without a sign of life. Longer than a round of attempts takes. */
export const LEASE_MS = 30_000;
/** An endpoint that failed for this long was down. A few events that it refuses make no such gap. */
const DOWN_MS = 60_000;

/** The longest rest of a failing endpoint that has a new event. */
const PROBE_MS = 60_000;

/** How long an endpoint rests for which there was no room. */
export const LATER_MS = 1_000;

/** How often the events of a paused endpoint are looked at, to drop old ones. */
export const TRIM_EVERY_MS = 3_600_000;

export type Done = { delivery: WebhookDelivery; attempted: Attempted };

/** The attempts of one endpoint that were under way together. `pending`: of the endpoint, before they were chosen. */
export type Round = { receiver: Receiver; pending: number; done: readonly Done[] };

/** `queue`: deliveries are due, and the endpoint was not released. */
export type Settled = { isLost: boolean; isPaused: boolean; queue?: WebhookQueue };

export type Settle = (round: Round) => Promise<Settled>;

/** Rounds of one transaction, and transactions under way. */
const BATCHES = { most: 64, atOnce: 2, maybeOfOne: (error: unknown) => !(error instanceof Busy) };
/** A busy endpoint does not wait for others. */
const GATHERING = { ms: 20, urgent: ({ done }: Round) => done.length > 1 };

export type RoundParts = { store: Store; clock: Clock; ids: Ids; owner: string; chance(): number };

type Health = Pick<WebhookQueue, 'failures' | 'failingSince' | 'noSuccessSince'>;

/** It answers: nothing limits its requests. */
const ANSWERS = { failures: 0, failingSince: null };

const wasDown = ({ failures, failingSince }: Health, now: number): boolean =>
  failures > 1 && failingSince !== null && now - failingSince >= DOWN_MS;

/** A round is one failure at most, however many requests it had. A refusal for good is no failure, and no success. */
function healthAfter(before: Health, done: readonly Done[], now: number): Health {
  // It was resumed meanwhile: what began before does not count.
  if (hasRetriesToHasten(before)) return before;
  const outcomes = new Set(done.flatMap(({ attempted }) => (attempted.lastAttemptAt === null ? [] : attempted.outcome)));
  if (outcomes.has('delivered')) return { failures: 0, failingSince: wasDown(before, now) ? now : null, noSuccessSince: null };
  const noSuccessSince = before.noSuccessSince ?? now;
  if (outcomes.has('dead')) return { ...ANSWERS, noSuccessSince };
  if (!outcomes.has('retry')) return before;
  return { failures: before.failures + 1, failingSince: before.failingSince ?? now, noSuccessSince };
}

const lasted = (since: number | null, now: number): boolean => since !== null && now - since >= TRIED_MS;

/**
 * It took nothing for 72 hours. A refusal shows this, the last attempt of a delivery, or 72 hours of failures. A first failure long after
 * a refusal does not.
 */
function isPausedBy(done: readonly Done[], { failingSince, noSuccessSince }: Health, now: number): boolean {
  const isTelling = ({ delivery, attempted: { outcome, lastAttemptAt } }: Done): boolean =>
    lastAttemptAt !== null &&
    (outcome === 'dead' || (outcome === 'retry' && (lasted(delivery.firstAttemptAt, now) || lasted(failingSince, now))));
  return lasted(noSuccessSince, now) && done.some(isTelling);
}

/** `isResumed`: while the attempt was under way. Its 72 hours begin anew. */
type Keeping = { now: number; isPaused: boolean; isResumed: boolean; chance(): number };

/** What becomes of a delivery. Undefined: nothing was sent, and it is tried again. A pause keeps those that are spent. */
function outcomeOf(
  { delivery: seen, attempted }: Done,
  { now, isPaused, isResumed, chance }: Keeping,
): DeliveryOutcome | undefined {
  const { outcome, waitMs, ...attempt } = attempted;
  if (outcome === 'stopped') return undefined;
  const firstAttemptAt = (isResumed ? null : seen.firstAttemptAt) ?? now;
  const facts = { ...attempt, firstAttemptAt };
  if (outcome !== 'retry' || (lasted(firstAttemptAt, now) && !isPaused))
    return { seen, status: outcome === 'delivered' ? 'DELIVERED' : 'DEAD', nextAt: null, endedAt: now, facts };
  const regularAt = withinTried(now + delayAfter(seen.attempts + 1, chance()), firstAttemptAt, now);
  return { seen, status: 'PENDING', nextAt: Math.max(regularAt, now + waitMs), endedAt: null, facts };
}

/** A failing endpoint rests between two attempts, whatever waits. The first failure may be that of one event: another is tried. */
export function restMs({ failures }: Health, chance: () => number): number {
  return failures < 2 ? 0 : delayAfter(failures - 1, chance());
}

/** Lets later deliveries go on. Returns the number of pending ones, and when the next one is due. */
async function goOn(tx: Writer, before: WebhookQueue, ended: readonly WebhookDelivery[]) {
  const pending = before.pending - ended.length;
  // Nothing waits for the endpoint. Its row is locked, so nothing comes meanwhile.
  if (pending <= 0) return { pending, due: undefined };
  for (const delivery of ended) await tx.webhookDeliveries.goOn(delivery);
  return { pending, due: await tx.webhookDeliveries.nextDue(before.organizationId, before.endpointId) };
}

/** While the queue had an owner, it was due when the lease ends. An earlier time was set meanwhile, and stays. */
const dueOr = ({ nextAt, leaseUntil }: WebhookQueue, at: number): number => (nextAt < leaseUntil ? nextAt : at);

/** A round of an endpoint whose row is locked, and what it shows of the endpoint. */
type Locked = { round: Round; before: WebhookQueue; health: Health; isPaused: boolean };

/** When the endpoint of a round is due next, and whether it is paused. */
async function settledOf(
  { owner, chance }: RoundParts,
  tx: Writer,
  locked: Locked,
  ended: readonly WebhookDelivery[],
  now: number,
) {
  const { round, before, isPaused } = locked;
  const { done } = round;
  const { pending, due } = await goOn(tx, before, ended);
  // If nothing waits for the endpoint, its next failure begins a new count.
  const health = due === undefined ? { ...locked.health, ...ANSWERS } : locked.health;
  const isTried = done.some(({ attempted }) => attempted.outcome !== 'stopped');
  const usual = isPaused ? TRIM_EVERY_MS : isTried || done.length === 0 ? restMs(health, chance) : LATER_MS;
  // An event that came meanwhile shortens the rest, as it does between two rounds.
  const rest = before.pending > round.pending ? Math.min(usual, PROBE_MS) : usual;
  const restUntil = withinTried(now + rest, health.failingSince ?? now, now);
  const nextAt = due === undefined ? NEVER : Math.max(hasRetriesToHasten(health) ? now : due, restUntil);
  const isHeld = nextAt <= now;
  const leaseUntil = now + LEASE_MS;
  const lease = isHeld ? { owner, leaseUntil, nextAt: leaseUntil } : { owner: '', leaseUntil: 0, nextAt: dueOr(before, nextAt) };
  return { round, queue: { ...before, ...health, ...lease, pending }, isHeld, isPaused };
}

/**
 * Locks the organizations whose endpoints these rounds pause, and returns them. Activities lock parents first, then other organizations,
 * endpoints and queues. Only the owner of a queue begins its time without a success, so no other endpoint is paused.
 */
async function holdPausing(tx: Writer, rounds: readonly Round[], now: number): Promise<Set<string>> {
  const found = new Map<string, Receiver>();
  for (const { receiver, done } of rounds) {
    if (done.every(({ attempted }) => attempted.outcome === 'delivered' || attempted.outcome === 'stopped')) continue;
    const before = await tx.webhookQueues.get(receiver.organizationId, receiver.id);
    if (before && isPausedBy(done, healthAfter(before, done, now), now)) found.set(receiver.organizationId, receiver);
  }
  const orderOf = ({ parentId, organizationId }: Receiver) => `${parentId === null ? 0 : 1} ${organizationId}`;
  for (const { organizationId } of [...found.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)))
    await tx.organizations.hold(organizationId);
  return new Set(found.keys());
}

/** Records rounds, and when their endpoints are due next. Nothing is written for an endpoint that another process has. */
async function settleAll(parts: RoundParts, tx: Writer, rounds: readonly Round[]): Promise<Map<Round, Settled>> {
  const { clock, ids, owner, chance } = parts;
  const now = clock.now();
  const keys = rounds.map(({ receiver }) => ({ organizationId: receiver.organizationId, endpointId: receiver.id }));
  const held = await holdPausing(tx, rounds, now);
  const locked = new Map((await tx.webhookQueues.lock(keys, owner)).map((queue) => [queue.endpointId, queue]));
  const ours = rounds.flatMap((round): Locked[] => {
    const before = locked.get(round.receiver.id);
    if (before === undefined) return [];
    const health = healthAfter(before, round.done, now);
    const isPaused = held.has(before.organizationId) && isPausedBy(round.done, health, now);
    return [{ round, before, health, isPaused }];
  });
  const outcomes = ours.flatMap(({ round: { done }, before, isPaused }) =>
    done.flatMap((one) => outcomeOf(one, { now, isPaused, isResumed: hasRetriesToHasten(before), chance }) ?? []),
  );
  const written = await tx.webhookDeliveries.note(outcomes);
  const over = new Set(outcomes.flatMap(({ seen, endedAt }) => (endedAt !== null && written.has(seen.id) ? [seen] : [])));
  const all: Awaited<ReturnType<typeof settledOf>>[] = [];
  for (const one of ours) {
    const ended = one.round.done.flatMap(({ delivery }) => (over.has(delivery) ? [delivery] : []));
    all.push(await settledOf(parts, tx, one, ended, now));
  }
  await tx.webhookQueues.settle(all.map(({ queue }) => queue));
  const settled = new Map(rounds.map((round): [Round, Settled] => [round, { isLost: true, isPaused: false }]));
  for (const { round, queue, isHeld, isPaused } of all) {
    if (isPaused) await pauseEndpoint(tx, { queue, endpoint: round.receiver, ids, now });
    settled.set(round, { isLost: false, isPaused, ...(isHeld && { queue }) });
  }
  return settled;
}

/** Rounds of several endpoints that end together share a transaction. The order is that of claims, so that no two wait for each other. */
export function settling(parts: RoundParts): Settle {
  return batched(
    (rounds) =>
      parts.store.transaction(async (tx) => {
        const settled = await settleAll(
          parts,
          tx,
          rounds.toSorted((a, b) => (a.receiver.id < b.receiver.id ? -1 : 1)),
        );
        return rounds.map((one) => settled.get(one)!);
      }, BACKGROUND_MS),
    BATCHES,
    GATHERING,
  );
}
