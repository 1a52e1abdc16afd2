import type { Clock } from '../../base/clock.ts';
import { ApiError, noOrganization } from '../../base/errors.ts';
import { Sleep } from '../../base/sleep.ts';
import type { Vault } from '../../custody/types.ts';
import type { Log, Trace } from '../../engine/ports.ts';
import { type StreamHolder, streamHolder } from '../../engine/request/stream-holder.ts';
import type { StreamTicket } from '../../engine/request/stream-ticket.ts';
import type { Store, StreamState } from '../../store/types.ts';
import { activityChanges } from './changes.ts';
import { holderOf, isAllowedFrom, record, resumedFrom, type StreamRequest, spend, ticketOf } from './open.ts';
import { streamPages } from './pages.ts';
import { STREAM_LIMITS, streamPlaces } from './places.ts';
import { type Sink, Stream, type StreamBeginning, type StreamEnd } from './stream.ts';
import { LASTS_MS } from './times.ts';

/** How often it looks at all streams: for events that other processes placed, and for credentials that ended. */
const EVERY_MS = 1_000;
/** The least time between two looks. A busy organization makes many events in it, which each of its streams gets in one write. */
const LEAST_MS = 200;
/** Holders that are looked up at once. */
const CHECKS = 32;
/** How long streams may take to end when the service stops. */
const STOPPING_MS = 1_000;

/** A stream that may begin. `begin`: call it once, when the answer's head was sent. */
export type Opened = { begin(sink: Sink): void };

export type Streams = {
  /** Uses the ticket up. Throws for a request that gets no stream. */
  open(request: StreamRequest, trace: Trace): Promise<Opened>;
  /** These organizations may have events. */
  wake(organizationIds: Iterable<string>): void;
  close(): Promise<void>;
};

type Parts = {
  store: Store;
  clock: Clock;
  log: Log;
  vault: Pick<Vault, 'texts'>;
  began(): void;
  ended(why: StreamEnd): void;
  /** Open streams of this process. */
  most: number;
};

/** `version`: of the facts by which the holder was looked up. `until`: when it ends by itself. */
type Entry = {
  stream: Stream;
  sink: Sink;
  ticket: StreamTicket;
  address: string | undefined;
  version: number;
  until: { time: number; holder: number | null };
};

/** The open streams of this process. One loop looks for all of them what happened in their organizations. */
export function streamHub({ store, clock, log, vault, began, ended, most }: Parts): Streams {
  const entries = new Map<Stream, Entry>();
  const take = streamPlaces({ ...STREAM_LIMITS, process: Math.min(most, STREAM_LIMITS.process) });
  const page = streamPages(store.read);
  const changes = activityChanges({ read: store.read, log, told: wake });
  const sleep = new Sleep();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  /** Organizations to look at before it looks at all. */
  const told = new Set<string>();
  let closed = false;

  function wake(organizationIds: Iterable<string>): void {
    // Without open streams nothing would take them.
    if (looking === undefined) return;
    for (const id of organizationIds) told.add(id);
    sleep.wake();
  }

  const statesOf = async (ids: Iterable<string>) =>
    new Map((await store.read.streams.states([...new Set(ids)])).map((state) => [state.id, state]));

  /** The sequence of the latest that the stream tells. */
  const latestOf = ({ ticket: { organizationId, brief } }: Entry, own: StreamState | undefined): number =>
    brief ? changes.latest(organizationId) : (own?.sequence ?? 0);

  /** A version that changed may have ended the user, the credential, the session or the feature, or changed allowed addresses. */
  async function check(entry: Entry, version: number, holding: Promise<StreamHolder | undefined>): Promise<void> {
    const holder = await holding;
    if (holder === undefined || !isAllowedFrom(holder, entry.address)) return entry.stream.stop('revoked');
    entry.version = version;
    entry.until.holder = holder.endsAt;
  }

  async function look(isOfAll: boolean): Promise<void> {
    const all = [...entries.values()].filter(({ ticket }) => isOfAll || told.has(ticket.organizationId));
    told.clear();
    if (all.length === 0) return;
    const states = await statesOf(all.flatMap(({ ticket }) => [ticket.organizationId, ticket.ownerId]));
    const now = clock.now();
    const changed: [Entry, number][] = [];
    for (const entry of all) {
      const { stream, ticket, version, until } = entry;
      const [own, owner] = [states.get(ticket.organizationId), states.get(ticket.ownerId)];
      if (own === undefined || owner === undefined || (until.holder !== null && until.holder <= now)) stream.stop('revoked');
      else if (until.time <= now) stream.stop('time');
      else if (owner.version !== version) changed.push([entry, owner.version]);
      else stream.reach(latestOf(entry, own));
    }
    const holders = new Map<string, Promise<StreamHolder | undefined>>();
    const holderFor = ({ ticket }: Entry): Promise<StreamHolder | undefined> => {
      const { ownerId, userId, credentialId, sessionId, endsAt } = ticket;
      const key = [ownerId, userId, credentialId, sessionId, endsAt].join();
      const holding = holders.get(key) ?? streamHolder(store.read, ticket, now);
      holders.set(key, holding);
      return holding;
    };
    for (let i = 0; i < changed.length; i += CHECKS)
      await Promise.all(
        changed.slice(i, i + CHECKS).map(async ([entry, version]) => {
          await check(entry, version, holderFor(entry));
          entry.stream.reach(latestOf(entry, states.get(entry.ticket.organizationId)));
        }),
      );
  }

  async function lookWhileOpen(): Promise<void> {
    let isOfAll = true;
    const timer = setInterval(() => {
      isOfAll = true;
      sleep.wake();
    }, EVERY_MS).unref();
    while (entries.size > 0) {
      sleep.look();
      const begun = isOfAll;
      isOfAll = false;
      try {
        await look(begun);
      } catch (error) {
        isOfAll = true;
        if (!closed) log.warn({ error }, 'streams could not be looked after; it is retried');
      }
      await new Promise((resolve) => setTimeout(resolve, LEAST_MS).unref());
      await sleep.rest();
    }
    clearInterval(timer);
    looking = undefined;
  }

  async function run(entry: Entry, free: () => void): Promise<void> {
    entries.set(entry.stream, entry);
    began();
    looking ??= lookWhileOpen();
    wake([entry.ticket.organizationId]);
    const why = await entry.stream.run();
    entries.delete(entry.stream);
    if (entries.size === 0) sleep.wake();
    free();
    ended(why);
  }

  type Beginning = { ticket: StreamTicket; address: string | undefined; at: StreamBeginning; latest: number } & Pick<
    Entry,
    'version' | 'until'
  >;

  function begin({ ticket, address, at, latest, version, until }: Beginning, sink: Sink, free: () => void): void {
    const failed = (error: unknown) => log.warn({ organizationId: ticket.organizationId, error }, 'a stream failed');
    const stream = new Stream({ sink, page: ticket.brief ? changes.page : page, failed }, at, latest);
    if (closed) stream.stop('stopping');
    const done = run({ stream, sink, ticket, address, version, until }, free).finally(() => running.delete(done));
    running.add(done);
  }

  type Source = { at: StreamBeginning; latest: number; leave(): void };

  async function toldOfAll(ticket: StreamTicket, lastEventId: string | undefined): Promise<Source> {
    const { organizationId, subOrganizations } = ticket;
    const interest = await record({ store, clock, log }, ticket);
    const from = lastEventId === undefined ? interest.sequence : resumedFrom(interest, lastEventId);
    const sequence = from ?? interest.sequence;
    const at = { organizationId, sequence, subOrganizations, isReset: from === undefined, isBrief: false };
    return { at, latest: interest.sequence, leave() {} };
  }

  async function toldBriefly({ organizationId, subOrganizations }: StreamTicket): Promise<Source> {
    const { sequence, leave } = await changes.follow(organizationId);
    const at = { organizationId, sequence, subOrganizations, isReset: false, isBrief: true };
    return { at, latest: sequence, leave };
  }

  return {
    async open({ ticket: text, lastEventId, address }, trace) {
      const now = clock.now();
      if (closed) throw new ApiError('UNAVAILABLE', 'the service is stopping: try again');
      const ticket = ticketOf({ vault }, text, now);
      const { organizationId, payerId, ownerId, userId, credentialId, brief } = ticket;
      Object.assign(trace, { organizationId, userId, credentialId });
      const taken = [take({ userId, organizationId, payerId })];
      const free = () => {
        for (const leave of taken) leave();
      };
      try {
        // Read before the holder: a later change raises it.
        const states = await statesOf([ownerId, organizationId]);
        const version = states.get(ownerId)?.version ?? 0;
        const holder = await holderOf({ store }, ticket, address, { now, trace });
        if (!states.has(organizationId)) throw noOrganization(organizationId);
        const { at, latest, leave } = await (brief ? toldBriefly(ticket) : toldOfAll(ticket, lastEventId));
        taken.push(leave);
        await spend({ store, clock }, ticket);
        const until = { time: clock.now() + LASTS_MS, holder: holder.endsAt };
        return { begin: (sink) => begin({ ticket, address, at, latest, version, until }, sink, free) };
      } catch (error) {
        free();
        throw error;
      }
    },
    wake,
    async close() {
      closed = true;
      for (const { stream } of entries.values()) stream.stop('stopping');
      const late = setTimeout(() => {
        for (const { sink } of entries.values()) sink.cut();
      }, STOPPING_MS);
      await Promise.all(running);
      clearTimeout(late);
      sleep.wake();
      await looking;
      await changes.close();
    },
  };
}
