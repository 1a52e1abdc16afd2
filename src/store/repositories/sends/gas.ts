import type { GasConfig, GasReservation } from '../../../model/gas.ts';
import { bucketsOf, rangesOf } from '../../../model/gas-window.ts';
import { type EngineName, sought } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { gasConfigs, gasReservations, gasUsage } from '../../tables/gas.ts';

const config = statement((db, p: { org: string }) =>
  db.selectFrom('gas_configs').select(gasConfigs.all).where('organization_id', '=', p.org),
);
const held = statement(
  (db, p: { org: string }) =>
    db.selectFrom('gas_configs').select(gasConfigs.all).where('organization_id', '=', p.org).forUpdate(),
  'postgres',
);
const insertConfig = statement((db, p: GasConfig) => db.insertInto('gas_configs').values(values(gasConfigs, p)));
const replaceConfig = statement((db, p: GasConfig) =>
  db.updateTable('gas_configs').set(values(gasConfigs, p)).where('organization_id', '=', p.organizationId),
);

const reservation = statement((db, p: { org: string; sendId: string }) =>
  db
    .selectFrom('gas_reservations')
    .select(gasReservations.all)
    .where('organization_id', '=', p.org)
    .where('send_id', '=', p.sendId),
);
const insertReservation = statement((db, p: GasReservation) =>
  db.insertInto('gas_reservations').values(values(gasReservations, p)),
);
const setReserved = statement((db, p: { org: string; sendId: string; microUsd: number }) =>
  db
    .updateTable('gas_reservations')
    .set({ micro_usd: p.microUsd })
    .where('organization_id', '=', p.org)
    .where('send_id', '=', p.sendId),
);

const { organizationId, width, startsAt, expiresAt, microUsd } = gasUsage.model;

/** One statement for one bucket of each width, because every sponsored send of an organization waits for it. */
const WIDTHS = bucketsOf(0).length;

/** The SQL for each width with its parameters, and the parameters' columns. */
function ofEach<C>(engine: EngineName, columns: readonly C[], one: (marks: string[]) => string, between: string) {
  const sql = Array.from({ length: WIDTHS }, (_, i) =>
    one(columns.map((_, j) => (engine === 'sqlite' ? '?' : `$${i * columns.length + j + 1}`))),
  );
  return { sql: sql.join(between), columns: Array.from({ length: WIDTHS }, () => columns).flat() };
}

function adding(engine: EngineName) {
  const columns = [organizationId, width, startsAt, expiresAt, microUsd];
  const rows = ofEach(engine, columns, (marks) => `(${marks.join(', ')})`, ', ');
  const sql = `INSERT INTO gas_usage (organization_id, width, starts_at, expires_at, micro_usd) VALUES ${rows.sql}
    ON CONFLICT (organization_id, width, starts_at) DO UPDATE SET micro_usd = gas_usage.micro_usd + excluded.micro_usd`;
  return written(engine)(sql, ...rows.columns);
}

/** One row for each width. */
function summing(engine: EngineName) {
  const columns = [sought(organizationId), width, startsAt, startsAt];
  const range = ([org, wide, from, before]: string[]) =>
    `SELECT CAST(COALESCE(SUM(micro_usd), 0) AS bigint) AS spent FROM gas_usage WHERE organization_id = ${org} AND width = ${wide} AND starts_at >= ${from} AND starts_at < ${before}`;
  const ranges = ofEach(engine, columns, range, ' UNION ALL ');
  return written<{ spent: number }>(engine)(ranges.sql, ...ranges.columns);
}

const add = { sqlite: adding('sqlite'), postgres: adding('postgres') };
const sum = { sqlite: summing('sqlite'), postgres: summing('postgres') };

/** Skips rows that another transaction is removing. */
const sweep = {
  sqlite: written('sqlite')('DELETE FROM gas_usage WHERE expires_at < ? ORDER BY expires_at LIMIT ?', expiresAt, expiresAt),
  postgres: written('postgres')(
    `DELETE FROM gas_usage WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM gas_usage WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    expiresAt,
    expiresAt,
  ),
};

export const gasReads = (conn: Conn) => ({
  /** The configuration of a top-level organization. */
  async config(org: string): Promise<GasConfig | undefined> {
    return config.first(conn, { org });
  },
  /**
   * Micro-USD spent in the window that ends now. A top-level organization's amount includes its sub-organizations; a sub-organization's
   * is its own.
   */
  async spent(org: string, now: number, windowMs: number): Promise<number> {
    const args = rangesOf(now, windowMs).flatMap(({ width, from, before }) => [org, width, from, before]);
    const rows = await sum[conn.engine].all(conn, args);
    return rows.reduce((all, { spent }) => all + spent, 0);
  },
  async reservation(org: string, sendId: string): Promise<GasReservation | undefined> {
    return reservation.first(conn, { org, sendId });
  },
});

export const gasWrites = (conn: Conn) => ({
  /** Reads the configuration, and locks it until this transaction ends. So spending under it is counted one transaction at a time. */
  async hold(org: string): Promise<GasConfig | undefined> {
    return (conn.engine === 'sqlite' ? config : held).first(conn, { org });
  },
  async insertConfig(row: GasConfig): Promise<void> {
    await insertConfig.run(conn, row);
  },
  async replaceConfig(row: GasConfig): Promise<void> {
    await replaceConfig.run(conn, row);
  },
  async insertReservation(row: GasReservation): Promise<void> {
    await insertReservation.run(conn, row);
  },
  async setReserved(org: string, sendId: string, microUsd: number): Promise<void> {
    await setReserved.run(conn, { org, sendId, microUsd });
  },
  /** Adds to the amount spent at a time. A negative amount is subtracted. */
  async add(org: string, at: number, microUsd: number): Promise<void> {
    const args = bucketsOf(at).flatMap(({ width, startsAt, expiresAt }) => [org, width, startsAt, expiresAt, microUsd]);
    await add[conn.engine].run(conn, args);
  },
  /** Deletes some buckets that no window includes any more. */
  async sweep(now: number, most: number): Promise<number> {
    return sweep[conn.engine].run(conn, [now, most]);
  },
});
