import { sql } from 'kysely';
import { USAGE_PLACE, type Usage, type UsageCount, type UsagePlace, type UsageWidth } from '../../../model/usage.ts';
import { arrays } from '../../arrays.ts';
import { type Column, int } from '../../columns.ts';
import { inLists } from '../../lists.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { stored } from '../../table.ts';
import { usageCounts } from '../../tables/billing.ts';
import { endOfNext, firstAfter } from '../activities/next-positions.ts';
import { instanceReads, instanceWrites } from '../service/instance.ts';
import { type Ended, endedBetween } from './ended-activities.ts';

const COUNTS = ['signatures', 'sends', 'messages', 'completed', 'failed', 'rejected'] as const;

type Range = { width: UsageWidth; from: number; before: number };

const range = statement((db, p: Range & { org: string }) =>
  db
    .selectFrom('usage_counts')
    .select(usageCounts.all)
    .where('organization_id', '=', p.org)
    .where('width', '=', p.width)
    .where('starts_at', '>=', p.from)
    .where('starts_at', '<', p.before)
    .orderBy('starts_at'),
);
const sums = dynamic({}, (db, p: Range & { orgs: readonly string[] }) =>
  db
    .selectFrom('usage_counts')
    .select('organization_id as organizationId')
    .select(COUNTS.map((name) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name)))
    .where('organization_id', 'in', p.orgs)
    .where('width', '=', p.width)
    .where('starts_at', '>=', p.from)
    .where('starts_at', '<', p.before)
    .groupBy('organization_id'),
);

const old = statement((db, p: { before: number }) =>
  db.selectFrom('usage_counts').select('starts_at').where('starts_at', '<', p.before).orderBy('starts_at').limit(1),
);

const members = stored(usageCounts);
const names = members.map(({ name }) => name).join(', ');
const AGAIN = `ON CONFLICT (organization_id, width, starts_at) DO UPDATE SET
  ${COUNTS.map((name) => `${name} = usage_counts.${name} + excluded.${name}`).join(', ')}`;
const { organizationId, startsAt } = usageCounts.model;
const addOne = written<object>('sqlite')(
  `INSERT INTO usage_counts (${names}) SELECT ${members.map(() => '?').join(', ')}
    WHERE EXISTS (SELECT 1 FROM organizations WHERE id = ?) ${AGAIN}`,
  ...members.map(({ column }) => column as Column<unknown>),
  organizationId as Column<unknown>,
);
const GIVEN = arrays(usageCounts, []);
/** The lock makes a deletion of the organization wait, so that it finds these rows. Nothing else waits for it. */
const addAll = written<object>('postgres')(
  `INSERT INTO usage_counts (${names}) SELECT g.*
    FROM unnest(${GIVEN.columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`).join(', ')}) AS g(${names})
    JOIN organizations o ON o.id = g.organization_id FOR KEY SHARE OF o ${AGAIN}`,
  ...(GIVEN.columns as Column<unknown>[]),
);

const sweep = {
  sqlite: written<object>('sqlite')('DELETE FROM usage_counts WHERE starts_at < ? ORDER BY starts_at LIMIT ?', startsAt, int()),
  postgres: written<object>('postgres')(
    `DELETE FROM usage_counts WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM usage_counts WHERE starts_at < $1 ORDER BY starts_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    startsAt,
    int(),
  ),
};

/** How far activities are summed, of all organizations: for the worker and the operator. */
export const summingReads = (conn: Conn) => {
  async function place(): Promise<UsagePlace> {
    const text = await instanceReads(conn).get(USAGE_PLACE);
    return text === undefined ? { activities: 0, audit: 0 } : JSON.parse(text);
  }
  return {
    /** Up to where activities are summed. */
    place,
    /** Where the next rows behind a place end: at most about `most`. Undefined if there are none, or others must commit first. */
    async endOfNext(place: UsagePlace, most: number): Promise<UsagePlace | undefined> {
      return endOfNext(conn, place, most);
    },
    /** The activities that ended between two places, grouped. Those of `countedAlone` types are not. */
    async ended(from: UsagePlace, to: UsagePlace, countedAlone: readonly string[]): Promise<Ended[]> {
      return endedBetween(conn, from, to, countedAlone);
    },
    /** When the first row that is not summed was written. */
    async notSummedSince(): Promise<number | undefined> {
      return firstAfter(conn, await place());
    },
    /** Whether counts of days or months that began before a time are left. */
    async hasBefore(before: number): Promise<boolean> {
      return (await old.first(conn, { before })) !== undefined;
    },
  };
};

export const usageReads = (conn: Conn) => ({
  /** The days or months of an organization that begin in a range. */
  async range(org: string, { width, from, before }: Range): Promise<UsageCount[]> {
    return range.all(conn, { org, width, from, before });
  },
  /** The sum of such a range for each of the organizations that used anything. */
  async sums(orgs: readonly string[], { width, from, before }: Range): Promise<(Usage & { organizationId: string })[]> {
    return inLists(orgs, (some) => sums.all(conn, { orgs: some, width, from, before }));
  },
});

/** Only the worker adds, in transactions that begin with its lease. */
export const usageWrites = (conn: Conn) => ({
  /** Adds to the counts of organizations that exist. Each organization, width and start is there once. */
  async add(counts: readonly UsageCount[]): Promise<void> {
    if (conn.engine === 'postgres') await addAll.run(conn, GIVEN.of(counts) as never);
    else
      for (const count of counts)
        await addOne.run(conn, [...members.map(({ key }) => count[key as keyof UsageCount]), count.organizationId] as never);
  },
  /** In the transaction that adds the counts up to there. */
  async moveTo(place: UsagePlace): Promise<void> {
    await instanceWrites(conn).put(USAGE_PLACE, JSON.stringify(place));
  },
  /** Removes some counts of days and months that began before a time. Returns how many. */
  async sweep(before: number, most: number): Promise<number> {
    return sweep[conn.engine].run(conn, [before, most]);
  },
});
