import { stepsIn, type VelocityCounter, type VelocityEntry } from '../../../model/velocity-control.ts';
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

export type CounterKey = { org: string; control: string; bucket: string };

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

export const counterRow = (org: string, { controlId, bucket }: Spend, steps: readonly Step[]): VelocityCounter => ({
  organizationId: org,
  controlId,
  bucket,
  steps: steps.map(({ number, amount, count }) => [number, String(amount), count]),
});
export const entryOf = (org: string, activityId: string, spend: Spend, createdAt: number): VelocityEntry => ({
  organizationId: org,
  controlId: spend.controlId,
  bucket: spend.bucket,
  activityId,
  amount: String(spend.amount),
  count: spend.count,
  createdAt,
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

export const allVelocityCounterReads = (conn: Conn) => ({
  /** Counters of all organizations, for a command of the operator. */
  page: (limit: number, last?: VelocityCounter): Promise<VelocityCounter[]> => {
    const after = last === undefined ? [NIL, NIL, ''] : [last.organizationId, last.controlId, last.bucket];
    return every.all(conn, { limit, after }) as Promise<VelocityCounter[]>;
  },
});

export const velocityCounterReads = (conn: Conn) => ({
  /** The counters of a control, by bucket. `after`: a bucket. */
  buckets: (org: string, control: string, page: After): Promise<VelocityCounter[]> =>
    buckets.all(conn, { org, control, ...page }) as Promise<VelocityCounter[]>,
  /** What was counted in a bucket, in the order of the activities. `after`, `before`: an activity. */
  async entries(org: string, control: string, bucket: string, page: Page): Promise<VelocityEntry[]> {
    const { limit, after, before } = page;
    const found = await entries.all(conn, { org, control, bucket, limit, after, before });
    return ascending(found as VelocityEntry[], page);
  },
  /** The steps of one counter, oldest first. None if nothing was counted. */
  async steps(org: string, control: string, bucket: string): Promise<Step[]> {
    if (conn.engine === 'postgres') return (await stepsOnPostgres(conn, [{ org, control, bucket }]))[0]!;
    return read(await get.first(conn, { org, control, bucket }));
  },
});

/** The steps of a counter. On PostgreSQL its row is locked until the transaction ends, and exists from then on. */
async function hold(conn: Conn, org: string, { controlId: control, bucket }: Spend): Promise<Step[]> {
  const key = { org, control, bucket };
  if (conn.engine === 'sqlite') return read(await get.first(conn, key));
  const row = await held.first(conn, key);
  if (row !== undefined) return read(row);
  await insert.run(conn, { organizationId: org, controlId: control, bucket, steps: [] });
  return read(await held.first(conn, key));
}

/** All transactions lock counters in the order of these keys. */
export const counterKey = (org: string, { controlId, bucket }: Spend): string => `${org} ${controlId} ${bucket}`;

/** SQLite: what a record counts, inside the group's transaction. Everything is synchronous. */
export const onSqlite = {
  /** The steps of each counter with the spends. Undefined: a guard has changed. */
  counted(conn: Conn, org: string, spends: readonly Spend[], now: number): (readonly Step[])[] | undefined {
    const all: (readonly Step[])[] = [];
    for (const spend of spends) {
      const { controlId: control, bucket, window } = spend;
      const steps = window.kind === 'transaction' ? [] : read(get.firstNow(conn, { org, control, bucket }));
      const more = counted(spend, steps, now);
      if (more === undefined) return undefined;
      all.push(more);
    }
    return all;
  },
  write(
    conn: Conn,
    org: string,
    activityId: string,
    spends: readonly Spend[],
    steps: readonly (readonly Step[])[],
    now: number,
  ): void {
    for (const [i, spend] of spends.entries()) {
      if (addsNothing(spend)) continue;
      const row = counterRow(org, spend, steps[i]!);
      if (spend.window.kind !== 'transaction' && replace.runNow(conn, row) === 0) insert.runNow(conn, row);
      insertEntry.runNow(conn, entryOf(org, activityId, spend, now));
    }
  },
};

export const velocityCounterWrites = (conn: Conn) => ({
  /**
   * Counts what an activity adds. Called after the last row that other transactions may hold. Every transaction holds counters in one
   * order. False if a guard has changed: then nothing may be written.
   */
  async count(org: string, activityId: string, spends: readonly Spend[], now: number): Promise<boolean> {
    const inOrder = spends.toSorted((a, b) => (counterKey(org, a) < counterKey(org, b) ? -1 : 1));
    for (const spend of inOrder) {
      const { window } = spend;
      const steps = window.kind === 'transaction' ? [] : await hold(conn, org, spend);
      const more = counted(spend, steps, now);
      if (more === undefined) return false;
      if (addsNothing(spend)) continue;
      if (window.kind !== 'transaction') {
        const row = counterRow(org, spend, more);
        if ((await replace.run(conn, row)) === 0) await insert.run(conn, row);
      }
      await insertEntry.run(conn, entryOf(org, activityId, spend, now));
      const event = alertOf(spend, more, activityId, now);
      if (event !== undefined) await recordAlerts(conn, [event]);
    }
    return true;
  },
});
