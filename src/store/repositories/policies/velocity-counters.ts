import { sql } from 'kysely';
import { Busy } from '../../../base/errors.ts';
import {
  type EntryState,
  stepsIn,
  storedSteps,
  type VelocityCounter,
  type VelocityEntry,
} from '../../../model/velocity-control.ts';
import { addsNothing, alertOf, counted, type Spend } from '../../../model/velocity-spend.ts';
import type { Step } from '../../../model/velocity-window.ts';
import { list, sought } from '../../columns.ts';
import type { Page } from '../../page.ts';
import { ascending, boundsOf } from '../../pages.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { velocityCounters, velocityEntries } from '../../tables/velocity-controls.ts';
import { recordAlerts } from '../../velocity-alerts.ts';
import type { Upkeep } from '../upkeep.ts';
import { type Freed, free, type Settlement, type Settlements, settlementReads } from './velocity-settlements.ts';

export type CounterKey = { org: string; control: string; bucket: string };

/** The counter of a spend, or of an entry. */
type Place = { readonly controlId: string; readonly bucket: string };

const get = statement(
  (db, p: CounterKey) =>
    db
      .selectFrom('velocity_counters')
      .select('steps')
      .where('organization_id', '=', p.org)
      .where('control_id', '=', p.control)
      .where('bucket', '=', p.bucket),
  'sqlite',
);
const held = statement(
  (db, p: CounterKey) =>
    db
      .selectFrom('velocity_counters')
      .select('steps')
      .where('organization_id', '=', p.org)
      .where('control_id', '=', p.control)
      .where('bucket', '=', p.bucket)
      .forUpdate(),
  'postgres',
);
const insert = statement((db, p: VelocityCounter) =>
  db
    .insertInto('velocity_counters')
    .values(values(velocityCounters, p))
    .onConflict((c) => c.columns(['organization_id', 'control_id', 'bucket']).doNothing()),
);
const replace = statement((db, p: VelocityCounter) =>
  db
    .updateTable('velocity_counters')
    .set({ steps: p.steps })
    .where('organization_id', '=', p.organizationId)
    .where('control_id', '=', p.controlId)
    .where('bucket', '=', p.bucket),
);
const insertEntry = statement((db, p: VelocityEntry) => db.insertInto('velocity_entries').values(values(velocityEntries, p)));

export const counterRow = (org: string, { controlId, bucket }: Place, steps: readonly Step[]): VelocityCounter => ({
  organizationId: org,
  controlId,
  bucket,
  steps: storedSteps(steps),
});

/** `steps`: of the counter, with the spend. */
export const entryOf = (
  org: string,
  activityId: string,
  spend: Spend,
  createdAt: number,
  steps: readonly Step[],
): VelocityEntry => ({
  organizationId: org,
  controlId: spend.controlId,
  bucket: spend.bucket,
  activityId,
  amount: String(spend.amount),
  count: spend.count,
  createdAt,
  state: spend.isReserved ? 'reserved' : 'spent',
  step: steps.at(-1)?.number ?? 0,
  reference: spend.reference ?? '',
  fee: String(spend.fee ?? 0n),
});
const read = (row: Pick<VelocityCounter, 'steps'> | undefined): Step[] => stepsIn(row?.steps ?? []);

const { organizationId, controlId, bucket } = velocityCounters.model;
const severalNow = written<{ n: number; steps: string }>('postgres')(
  `SELECT k.n::int AS n, c.steps
  FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS k(org, control, bucket, n)
  JOIN velocity_counters c ON c.organization_id = k.org AND c.control_id = k.control AND c.bucket = k.bucket`,
  list(sought(organizationId)),
  list(sought(controlId)),
  list(sought(bucket)),
);

/** One round trip for the counters of several requests. */
export async function stepsOnPostgres(conn: Conn, asked: readonly CounterKey[]): Promise<Step[][]> {
  const rows = await severalNow.all(conn, [
    asked.map(({ org }) => org),
    asked.map(({ control }) => control),
    asked.map((one) => one.bucket),
  ]);
  const found = asked.map((): Step[] => []);
  for (const { n, steps } of rows) found[n - 1] = stepsIn(JSON.parse(steps));
  return found;
}

type After = { limit: number; after?: string | undefined };
type Buckets = After & { org: string; control: string };

const buckets = dynamic({ after: true }, (db, p: Buckets) =>
  inRange(db.selectFrom('velocity_counters').select(velocityCounters.all).where('organization_id', '=', p.org), {
    fixed: [['control_id', p.control]],
    key: 'bucket',
    above: p.after,
    below: undefined,
    descending: false,
    limit: p.limit,
  }),
);
type Entries = Buckets & { bucket: string; after: string | undefined; before: string | undefined };

const entries = dynamic({ after: true, before: true }, (db, p: Entries) =>
  inRange(db.selectFrom('velocity_entries').select(velocityEntries.all).where('organization_id', '=', p.org), {
    fixed: [
      ['control_id', p.control],
      ['bucket', p.bucket],
    ],
    key: 'activity_id',
    ...boundsOf(p),
  }),
);
const COUNTER = ['organization_id', 'control_id', 'bucket'] as const;
const ENTRY = [...COUNTER, 'activity_id'] as const;
const NIL = '00000000-0000-0000-0000-000000000000';
const every = dynamic({}, (db, p: { limit: number; after: string[] }) =>
  inRange(db.selectFrom('velocity_counters').select(velocityCounters.all), {
    fixed: [],
    key: COUNTER,
    above: p.after,
    below: undefined,
    descending: false,
    limit: p.limit,
  }),
);

const everyEntry = dynamic({}, (db, p: { limit: number; after: string[] }) =>
  inRange(db.selectFrom('velocity_entries').select(velocityEntries.all), {
    fixed: [],
    key: ENTRY,
    above: p.after,
    below: undefined,
    descending: false,
    limit: p.limit,
  }),
);

/** The same condition as in the indexes. */
const RESERVED = sql<boolean>`state = 'reserved'`;
type Some = { org: string; control: string; from: string; to: string; limit: number };
const reservedIn = statement((db, p: Some) =>
  db
    .selectFrom('velocity_entries')
    .select(velocityEntries.all)
    .where('organization_id', '=', p.org)
    .where('control_id', '=', p.control)
    .where('bucket', '>=', p.from)
    .where('bucket', '<=', p.to)
    .where(RESERVED)
    .orderBy('bucket')
    .limit(p.limit),
);
const oldestReserved = statement((db, p: { after: number }) =>
  db
    .selectFrom('velocity_entries')
    .select('created_at as at')
    .where(RESERVED)
    .where('created_at', '>=', p.after)
    .orderBy('created_at')
    .limit(1),
);

export const allVelocityCounterReads = (conn: Conn) => ({
  /** Entries of all organizations, by bucket. In a bucket, those of older activities come first. */
  entries: (limit: number, last?: VelocityEntry): Promise<VelocityEntry[]> => {
    const after = last === undefined ? [NIL, NIL, '', NIL] : [last.organizationId, last.controlId, last.bucket, last.activityId];
    return everyEntry.all(conn, { limit, after }) as Promise<VelocityEntry[]>;
  },
  /** Since when the oldest amount is reserved. Undefined: none is. */
  reservedSince: async (): Promise<number | undefined> => (await oldestReserved.first(conn, { after: 0 }))?.at,
  /** Counters of all organizations, for a command of the operator. */
  page: (limit: number, last?: VelocityCounter): Promise<VelocityCounter[]> => {
    const after = last === undefined ? [NIL, NIL, ''] : [last.organizationId, last.controlId, last.bucket];
    return every.all(conn, { limit, after }) as Promise<VelocityCounter[]>;
  },
});

export const velocityCounterReads = (conn: Conn) => ({
  ...settlementReads(conn),
  /** The counters of a control, by bucket. `after`: a bucket. */
  buckets: (org: string, control: string, page: After): Promise<VelocityCounter[]> =>
    buckets.all(conn, { org, control, ...page }) as Promise<VelocityCounter[]>,
  /** What was counted in a bucket, in the order of the activities. `after`, `before`: an activity. */
  async entries(org: string, control: string, bucket: string, page: Page): Promise<VelocityEntry[]> {
    const { limit, after, before } = page;
    const found = await entries.all(conn, { org, control, bucket, limit, after, before });
    return ascending(found as VelocityEntry[], page);
  },
  /** Reserved entries of buckets that follow each other. */
  reserved: (org: string, control: string, [from, to]: readonly [string, string], limit: number): Promise<VelocityEntry[]> =>
    reservedIn.all(conn, { org, control, from, to, limit }) as Promise<VelocityEntry[]>,
  /** The steps of one counter, oldest first. None if nothing was counted. */
  async steps(org: string, control: string, bucket: string): Promise<Step[]> {
    if (conn.engine === 'postgres') return (await stepsOnPostgres(conn, [{ org, control, bucket }]))[0]!;
    return read(await get.first(conn, { org, control, bucket }));
  },
});

/** Another transaction may remove the row that this one found instead of its own. */
const HOLDS = 5;

/** The steps of a counter. On PostgreSQL its row is locked until the transaction ends, and exists from then on. */
async function hold(conn: Conn, org: string, { controlId: control, bucket }: Place): Promise<Step[]> {
  const key = { org, control, bucket };
  if (conn.engine === 'sqlite') return read(await get.first(conn, key));
  for (let left = HOLDS; left > 0; left--) {
    const row = await held.first(conn, key);
    if (row !== undefined) return read(row);
    await insert.run(conn, { organizationId: org, controlId: control, bucket, steps: [] });
  }
  throw new Busy('a counter of a limit over time was removed again and again');
}

/** All transactions lock counters in the order of these keys. */
export const counterKey = (org: string, { controlId, bucket }: Place): string => `${org} ${controlId} ${bucket}`;

/** SQLite: `steps` are of the counter, with the spend. */
export function insertEntryNow(
  conn: Conn,
  org: string,
  activityId: string,
  spend: Spend,
  now: number,
  steps: readonly Step[],
): void {
  insertEntry.runNow(conn, entryOf(org, activityId, spend, now, steps));
}

/** The steps of a counter that a spend or a release changes. */
async function stepsFor(conn: Conn, org: string, at: Place, isNew: boolean): Promise<Step[]> {
  if (isNew) return hold(conn, org, at);
  const key = { org, control: at.controlId, bucket: at.bucket };
  // A release makes no counter: that of a deleted control is gone.
  return read(await (conn.engine === 'sqlite' ? get : held).first(conn, key));
}

async function put(conn: Conn, org: string, at: Place, steps: readonly Step[], isNew: boolean): Promise<void> {
  const row = counterRow(org, at, steps);
  if ((await replace.run(conn, row)) === 0 && isNew) await insert.run(conn, row);
}

/** What changes in one counter. */
type Change = { org: string; at: Place; spend?: Spend; freed: readonly Freed[] };

function changesOf(org: string, spends: readonly Spend[], freed: readonly Freed[]): [string, Change][] {
  const changes = new Map<string, Change>();
  for (const [key, own] of Map.groupBy(freed, (entry) => counterKey(entry.organizationId, entry)))
    changes.set(key, { org: own[0]!.organizationId, at: own[0]!, freed: own });
  for (const spend of spends) {
    const key = counterKey(org, spend);
    changes.set(key, { ...(changes.get(key) ?? { org, at: spend, freed: [] }), spend });
  }
  return [...changes].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Holds the counters in their order. False if a guard has changed. */
async function change(conn: Conn, changes: readonly [string, Change][], activityId: string, now: number): Promise<boolean> {
  const { hasReference } = settlementReads(conn);
  for (const [, { org, at, spend, freed }] of changes) {
    const isNew = spend !== undefined && spend.window.kind !== 'transaction';
    const isKept = isNew || freed.length > 0;
    const before = isKept ? await stepsFor(conn, org, at, isNew) : [];
    const left = await free(conn, freed, before);
    const more = spend === undefined ? left : counted(spend, left, now);
    if (more === undefined) return false;
    const isSpent = spend !== undefined && !addsNothing(spend);
    if (isSpent && spend.isReserved && spend.reference !== undefined && (await hasReference(org, at.controlId, spend.reference)))
      return false;
    if (more !== before && isKept) await put(conn, org, at, more, isNew);
    if (!isSpent) continue;
    await insertEntry.run(conn, entryOf(org, activityId, spend, now, more));
    const event = alertOf(spend, more, activityId, now);
    if (event !== undefined) await recordAlerts(conn, [event]);
  }
  return true;
}

export const velocityCounterWrites = (conn: Conn, { settlements }: Upkeep) => ({
  /**
   * Counts what an activity adds. Called after the last row that other transactions may hold. Every transaction holds counters in one
   * order. False if a guard has changed: then nothing may be written.
   */
  async count(org: string, activityId: string, spends: readonly Spend[], now: number): Promise<boolean> {
    if (spends.length === 0) return true;
    return change(conn, changesOf(org, spends, await settlements.released()), activityId, now);
  },
  /** Settles all open entries of an activity by what became of its send. Written at the end of the transaction. */
  async settle(
    org: string,
    activityId: string,
    to: EntryState,
    { keepsFee = false, paid }: Partial<Pick<Settlement, 'keepsFee' | 'paid'>> = {},
  ): Promise<void> {
    settlements.add({ org, activityId, to, keepsFee, paid });
  },
  /** Releases a reserved entry. Written at the end of the transaction. Throws Busy then if the entry has changed since it was read. */
  async release(entry: VelocityEntry): Promise<void> {
    settlements.release(entry);
  },
});

/** Writes what is left to settle. Called once, at the end of the transaction. */
export async function writeSettlements(conn: Conn, settlements: Settlements): Promise<void> {
  await change(conn, changesOf('', [], await settlements.released()), '', 0);
  await settlements.write();
}
