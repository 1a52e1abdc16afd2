import { firstIdOf, timeOfId } from '../../base/id-time.ts';
import { list, text } from '../columns.ts';
import { type Conn, written } from '../statement.ts';
import { sends } from '../tables/sends.ts';
import type { Chosen } from './choose.ts';
import { MOVED } from './columns.ts';

const parts = written<{ name: string; isPart: boolean }>('postgres')(
  `SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid) AS "isPart"
FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY($1::text[])`,
  list(text()),
);

/** 2025-01: the month of an activity's id, in UTC. */
export const monthOf = (id: string): string => new Date(timeOfId(id)).toISOString().replace(/^\+/, '').slice(0, -17);

const partOf = (table: string, month: string): string => `${table}_${month.replace('-', '_')}`;

/** Creates and attaches the tables of a month, unless they exist. ATTACH does not block readers of the other tables. */
export async function makeMonth(conn: Conn, month: string): Promise<void> {
  const [year, ofYear] = month.split('-').map(Number) as [number, number];
  const [from, to] = [Date.UTC(year, ofYear - 1), Date.UTC(year, ofYear)].map(firstIdOf);
  const names = MOVED.map((moved) => partOf(moved.to.name, month));
  const found = await parts.all(conn, [names]);
  for (const { to: whole } of MOVED) {
    const name = partOf(whole.name, month);
    const known = found.find((part) => part.name === name);
    if (known?.isPart) continue;
    if (known)
      throw new Error(
        `the table ${name} exists but is not attached: attach it to ${whole.name}, rename it or drop it, and run this command again`,
      );
    await conn.run(`CREATE TABLE "${name}" (LIKE "${whole.name}")`, []);
    await conn.run(`ALTER TABLE "${whole.name}" ATTACH PARTITION "${name}" FOR VALUES FROM ('${from}') TO ('${to}')`, []);
  }
}

const [organizations, activities] = [list(sends.model.organizationId), list(sends.model.activityId)];

/** An activity that waited may create its sends in a later month. */
const sendsOf = written<{ id: string }>('postgres')(
  `SELECT s."id" FROM unnest($1::${organizations.postgres.type}, $2::${activities.postgres.type}) AS c(organization_id, id)
JOIN "sends" s ON s."organization_id" = c.organization_id AND s."activity_id" = c.id`,
  organizations,
  activities,
);

/** Creates the tables for the months of these activities and of their sends. */
export async function makeMonths(conn: Conn, batch: readonly Chosen[]): Promise<void> {
  const sent = await sendsOf.all(conn, [batch.map((one) => one.organizationId), batch.map((one) => one.id)]);
  for (const month of new Set([...batch, ...sent].map(({ id }) => monthOf(id)))) await makeMonth(conn, month);
}
