import { setTimeout as pause } from 'node:timers/promises';
import { BACKGROUND_MS } from '../../base/background.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';
import { Sleep } from '../../base/sleep.ts';
import type { WebhookVault } from '../../custody/types.ts';
import type { Log } from '../../engine/ports.ts';
import { isOn } from '../../model/quarantine.ts';
import type { WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Post } from '../../outbound/types.ts';
import type { Store } from '../../store/types.ts';
import { attempts } from './attempt.ts';
import { bodiesOf } from './bodies.ts';
import { type Begun, fanOut, leaveFanOut, MOST_EVENTS, type Room } from './fan-out.ts';
import { floored } from './floor.ts';
import type { WebhookKeys } from './keys.ts';
import { type LineParts, work } from './line.ts';
import { placesOf } from './places.ts';
import { receiversOf } from './receivers.ts';
import { type Done, LEASE_MS, type RoundParts, settling } from './round.ts';
import { sweeper } from './sweep.ts';

/** Requests under way. Endpoints that fail have half of the places, and a payer a quarter, of which an organization has a third. */
const PLACES = { all: 512, probes: 256, payer: 128, waiting: 128 };
/** Endpoints that this process holds, because they have a place, wait for one, or are recorded. */
const MOST = 1280;
const MOST_FAILING = 512;
/** Endpoints that are claimed in one transaction. */
const AT_ONCE = 64;
/** The least time between two looks, unless one took all it could. So one takes what comes meanwhile together. */
const PACE_MS = 50;
/** How often it looks, woken or not: for events and endpoints of other processes, and for retries. */
const EVERY_MS = 1_000;
/** Queues that became due this long before a look at all are looked for again: clocks of processes differ. */
const OVERLAP_MS = 1_000;
/** Looks for what a failed write has claimed, a second apart: its commit may land after the first. */
const LOOKS_FOR_LOST = 5;
/** How long attempts under way may take when the service stops. */
const STOPPING_MS = 4_000;

export type WebhookWorker = {
  start(): void;
  /** There may be an event. */
  wake(): void;
  /** Takes no more, and resolves when nothing is under way. */
  close(): Promise<void>;
};

type Parts = {
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Log;
  ids: Ids;
  random: Random;
  vault: WebhookVault;
  keys: WebhookKeys;
  post: Post;
  /** A token of this process. */
  owner: string;
  settled(done: readonly Done[], isPaused: boolean): void;
  /** Events were placed in the streams of these organizations. */
  fannedOut(organizationIds: ReadonlySet<string>): void;
};

/** Makes the deliveries of events, and delivers them: at least once, and in order for each endpoint and subject. */
export function webhookWorker(parts: Parts): WebhookWorker {
  const { store, clock, elapsed, log, random, owner } = parts;
  const control = new AbortController();
  const sweep = sweeper(parts);
  let closed = false;
  const round: RoundParts = { ...parts, chance: () => random(4).readUInt32BE() / 0xffff_ffff };
  const line: LineParts = {
    ...round,
    settle: settling(round),
    settled: parts.settled,
    attempt: attempts({ ...parts, signal: control.signal }),
    places: placesOf(PLACES),
    bodies: bodiesOf(store.read),
    receiver: receiversOf(store.read),
    isClosed: () => closed,
  };
  const held = new Map<string, { isFailing: boolean }>();
  const sleep = new Sleep();
  let running: Promise<void> = Promise.resolve();

  async function run(claimed: WebhookQueue, first?: Begun['first']): Promise<void> {
    const { organizationId, endpointId, failures } = claimed;
    held.set(endpointId, { isFailing: failures > 0 });
    try {
      await work(line, claimed, first);
    } catch (error) {
      lookForLost();
      if (!closed) log.warn({ organizationId, endpointId, error }, 'deliveries of a webhook endpoint failed; they are retried');
    } finally {
      held.delete(endpointId);
      sleep.wake();
    }
  }

  const failingHere = () => [...held.values()].filter(({ isFailing }) => isFailing).length;
  const roomOf = (isFailing: boolean): number =>
    isFailing ? MOST_FAILING - failingHere() : MOST - MOST_FAILING - (held.size - failingHere());
  const isQuarantined = async (): Promise<boolean> => isOn(await store.read.instance.quarantine());

  /** When all due queues of a kind were last looked at. Thousands of the other kind may be overdue, and are walked over. */
  const allSeenAt = { healthy: Number.NEGATIVE_INFINITY, failing: Number.NEGATIVE_INFINITY };

  const looks = { events: floored(elapsed), healthy: floored(elapsed), failing: floored(elapsed) };

  async function dueNow(isFailing: boolean, now: number, limit: number): Promise<WebhookQueue[]> {
    const kind = isFailing ? 'failing' : 'healthy';
    const isRecent = now - allSeenAt[kind] < EVERY_MS;
    if (isRecent) return store.read.webhookQueues.due(now, limit, isFailing, allSeenAt[kind] - OVERLAP_MS);
    const found = await looks[kind]({
      read: (since) => store.read.webhookQueues.due(now, limit, isFailing, since),
      below: ([first]) => (first === undefined ? now : first.nextAt - 1),
    });
    if (found.length < limit) allSeenAt[kind] = now;
    return found;
  }

  let looksForLost = 0;
  let lostSoughtAt = Number.NEGATIVE_INFINITY;

  /** A write failed. If its commit succeeds, now or later, this process has endpoints that it does not deliver to. */
  function lookForLost(): void {
    looksForLost = LOOKS_FOR_LOST;
  }

  async function releaseLost(): Promise<void> {
    const now = clock.now();
    if (looksForLost === 0 || now - lostSoughtAt < EVERY_MS) return;
    lostSoughtAt = now;
    const lost = (await store.read.webhookQueues.ownedBy(owner)).filter(({ endpointId }) => !held.has(endpointId));
    // In the order of claims, so that two processes never wait for each other.
    const sorted = lost.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
    if (sorted.length > 0)
      await store.transaction(async (tx) => {
        for (const queue of sorted) await tx.webhookQueues.release(queue, owner, now);
      });
    looksForLost--;
  }

  const claiming = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      lookForLost();
      throw error;
    });

  /** Healthy endpoints were left out at the last look. None is claimed before them. */
  let someWait = true;

  /** Returns whether there may be more. */
  async function claimSome(isFailing: boolean): Promise<boolean> {
    const limit = Math.min(roomOf(isFailing), AT_ONCE);
    if (!isFailing) someWait = true;
    if (limit <= 0) return false;
    const now = clock.now();
    const due = await dueNow(isFailing, now, limit);
    if (!isFailing) someWait = due.length >= limit;
    // The lease of an endpoint that is held here can end during a slow write.
    const found = due.filter(({ endpointId }) => !held.has(endpointId));
    if (found.length === 0 || closed || (await isQuarantined())) return false;
    const claimed = await claiming(
      store.transaction((tx) => tx.webhookQueues.claim(found, owner, now, now + LEASE_MS), BACKGROUND_MS),
    );
    for (const queue of claimed) void run(queue);
    return due.length === AT_ONCE && claimed.length > 0;
  }

  async function roomNow(): Promise<Room | undefined> {
    const most = someWait || closed ? 0 : roomOf(false);
    if (most <= 0 || (await isQuarantined())) return undefined;
    return { most, may: (endpointId) => !held.has(endpointId) };
  }

  /** Returns whether there may be more events. Their trouble does not keep other deliveries waiting. */
  async function makeDeliveries(): Promise<boolean> {
    try {
      let after: number | undefined;
      const read = (floor: number | undefined) => {
        after = floor;
        return store.read.webhookEvents.waiting(1, floor);
      };
      const waiting = await looks.events({ read, below: ([first]) => first && first.position - 1 });
      if (waiting.length === 0) return false;
      const made = await claiming(fanOut(parts, after, await roomNow()));
      for (const { queue, first } of made?.begun ?? []) void run(queue, first);
      if (made !== undefined && made.streamed.size > 0) parts.fannedOut(made.streamed);
      return made?.events === MOST_EVENTS;
    } catch (error) {
      if (!closed) log.warn({ error }, 'deliveries of webhook events could not be made; it is retried');
      return false;
    }
  }

  /** Returns how long to rest. */
  async function step(): Promise<number> {
    await releaseLost();
    for (let more = true; more && !closed; ) {
      const made = await makeDeliveries();
      const healthy = await claimSome(false);
      more = (await claimSome(true)) || healthy || made;
    }
    sweep.begin();
    const now = clock.now();
    // An endpoint that is already due belongs to another process, or waits for room.
    return ((await store.read.webhookQueues.nextDue(now, now + EVERY_MS)) ?? now + EVERY_MS) - now;
  }

  async function loop(): Promise<void> {
    // No other process has this database: endpoints that an earlier process held are free.
    let isAlone = store.engine === 'sqlite';
    while (!closed) {
      sleep.look();
      const began = elapsed.now();
      let ms = EVERY_MS;
      try {
        if (isAlone) await store.transaction((tx) => tx.webhookQueues.releaseAll(clock.now()));
        isAlone = false;
        ms = await step();
      } catch (error) {
        if (!closed) log.warn({ error }, 'webhooks could not be read; it is retried');
      }
      await sleep.rest(ms);
      const early = PACE_MS - (elapsed.now() - began);
      if (early > 0 && !closed) await pause(early);
    }
    while (held.size > 0) {
      sleep.look();
      await sleep.rest();
    }
    await sweep.ended();
    await leaveFanOut(parts).catch(() => {});
  }

  return {
    start() {
      running = loop();
    },
    wake: () => sleep.wake(),
    async close() {
      closed = true;
      sleep.wake();
      const grace = setTimeout(() => control.abort(), STOPPING_MS);
      await running;
      clearTimeout(grace);
    },
  };
}
