import { Sleep } from '../../base/sleep.ts';
import { wireTimestamp } from '../../base/time.ts';
import type { Log } from '../../engine/ports.ts';
import type { Reader, StreamChange } from '../../store/types.ts';
import type { StreamPage, StreamPlace } from './pages.ts';

const EVERY_MS = 500;
/** Positions of one reading. */
const MOST_POSITIONS = 2_000;
/** Streams of a place further behind read all again: more changes than are kept may lie between. */
const FAR_BEHIND = 20 * MOST_POSITIONS;
/** How many readings pass between two resets while an old transaction hides new rows: five seconds. */
const HIDDEN = 10;
/** Changes of an organization that are kept. A stream that missed more of them is reset. */
const KEPT = 100;

type Kept = { sequence: number; text: string };

/** News of an organization with brief streams. Each reading with news has a sequence. */
type Followed = {
  streams: number;
  sequence: number;
  /** Of the facts that decisions rest on, at the latest reading with news. */
  factsVersion: number;
  /** Changes up to this sequence may have been dropped. */
  dropped: number;
  /** By activity, the latest change last. */
  changes: Map<string, Kept>;
  page: { from: number; page: NonNullable<StreamPage> } | undefined;
};

type Parts = {
  read: Pick<Reader, 'streamChanges' | 'streams'>;
  log: Log;
  /** These organizations have news. */
  told(organizationIds: Iterable<string>): void;
};

function add(followed: Followed, changes: readonly StreamChange[]): void {
  followed.sequence += 1;
  for (const { id, status, updatedAt } of changes) {
    followed.changes.delete(id);
    const text = JSON.stringify({ id, status, updatedAt: wireTimestamp(updatedAt) });
    followed.changes.set(id, { sequence: followed.sequence, text });
  }
  for (const [id, { sequence }] of followed.changes) {
    if (followed.changes.size <= KEPT) break;
    followed.changes.delete(id);
    followed.dropped = sequence;
  }
}

/**
 * What brief streams tell: which activities changed, without their bodies. One loop reads it by position while a brief stream is open, once for
 * all streams of the process. So an activity writes nothing for them.
 */
export function activityChanges({ read: { streamChanges, streams }, log, told }: Parts) {
  const organizations = new Map<string, Followed>();
  const sleep = new Sleep();
  /** All up to here was read. */
  let place = 0;
  let following: Promise<void> | undefined;
  /** Readings in a row in which something new was hidden, and its greatest position at the last reset. */
  let hidden = { readings: 0, latest: 0 };

  /** Each stream is reset: its client reads all again. */
  function resetAll(): void {
    for (const followed of organizations.values()) {
      followed.changes.clear();
      followed.page = undefined;
      followed.sequence += 1;
      followed.dropped = followed.sequence;
    }
    told(organizations.keys());
  }

  /** On PostgreSQL an old transaction, of any program, hides rows that have committed. */
  async function lookBeyond(): Promise<void> {
    const latest = await streamChanges.latest();
    if (latest <= place) hidden = { readings: 0, latest: 0 };
    else if (++hidden.readings >= HIDDEN && latest > hidden.latest) {
      hidden = { readings: 0, latest };
      resetAll();
    }
  }

  /** Reads the next changes. False if there are none. */
  async function step(): Promise<boolean> {
    const end = await streamChanges.end();
    if (end <= place) {
      await lookBeyond();
      return false;
    }
    if (end - place > FAR_BEHIND) {
      place = end;
      resetAll();
      return false;
    }
    const to = Math.min(end, place + MOST_POSITIONS);
    const { organizationIds, changes } = await streamChanges.between(place, to);
    const changed = Map.groupBy(changes, ({ organizationId }) => organizationId);
    const followed = [...new Set([...organizationIds, ...changed.keys()])].filter((id) => organizations.has(id));
    // Read after the rows: what they changed is in it.
    const versions = new Map((await streams.states(followed)).map(({ id, version }) => [id, version]));
    place = to;
    const heard = followed.filter((id) => organizations.has(id));
    for (const id of heard) {
      const one = organizations.get(id)!;
      one.factsVersion = versions.get(id) ?? one.factsVersion;
      add(one, changed.get(id) ?? []);
    }
    if (heard.length > 0) told(heard);
    return true;
  }

  async function followWhileOpen(): Promise<void> {
    while (organizations.size > 0) {
      sleep.look();
      try {
        for (let more = true; more && organizations.size > 0; ) more = await step();
      } catch (error) {
        log.warn({ error }, 'changes of activities could not be read for streams; it is retried');
      }
      if (organizations.size > 0) await sleep.rest(EVERY_MS);
    }
    following = undefined;
  }

  function leave(organizationId: string): void {
    const followed = organizations.get(organizationId)!;
    followed.streams -= 1;
    if (followed.streams === 0) organizations.delete(organizationId);
    if (organizations.size === 0) sleep.wake();
  }

  return {
    /** A new stream is told of all that commits from now on, until `leave`. */
    async follow(organizationId: string): Promise<{ sequence: number; leave(): void }> {
      const end = following === undefined ? await streamChanges.end() : 0;
      const none: Followed = { streams: 0, sequence: 0, factsVersion: 0, dropped: 0, changes: new Map(), page: undefined };
      const followed = organizations.get(organizationId) ?? none;
      followed.streams += 1;
      organizations.set(organizationId, followed);
      if (following === undefined) {
        place = end;
        following = followWhileOpen();
      }
      return { sequence: followed.sequence, leave: () => leave(organizationId) };
    },
    /** The sequence of the latest news. */
    latest: (organizationId: string): number => organizations.get(organizationId)?.sequence ?? 0,
    /** The news after a sequence, as one message. Undefined if some of it is no longer kept. */
    async page({ organizationId, sequence }: StreamPlace): Promise<StreamPage> {
      const followed = organizations.get(organizationId);
      if (followed === undefined || sequence < followed.dropped) return undefined;
      const { page: known, sequence: to, factsVersion } = followed;
      if (known?.from === sequence && known.page.to === to) return known.page;
      const texts = [...followed.changes.values()].filter((one) => one.sequence > sequence).map(({ text }) => text);
      const data = `{"activities":[${texts}],"factsVersion":"${factsVersion}"}`;
      const page = { bytes: Buffer.from(`event: changes\ndata: ${data}\n\n`), to };
      followed.page = { from: sequence, page };
      return page;
    },
    /** Resolves when the last reading has ended. All streams have ended before. */
    async close(): Promise<void> {
      await following;
    },
  };
}
