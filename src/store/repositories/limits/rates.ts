import type { EngineName } from '../../columns.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { type Rate, rates } from '../../tables/rates.ts';

const { key, endsAt, spent } = rates.model;

const get = statement((db, p: { key: Buffer }) => db.selectFrom('rates').select(rates.all).where('key', '=', p.key));

/**
 * Adds one to the current window, if it has room, or begins a new window. A window that ends later than `latest` was begun before the
 * clock was set back, and counts as ended.
 */
function spending(now: string, latest: string, most: string): string {
  const isOver = `(rates.ends_at <= ${now} OR rates.ends_at > ${latest})`;
  return `ON CONFLICT (key) DO UPDATE SET
    spent = CASE WHEN ${isOver} THEN 1 ELSE rates.spent + 1 END,
    ends_at = CASE WHEN ${isOver} THEN excluded.ends_at ELSE rates.ends_at END
    WHERE ${isOver} OR rates.spent < ${most}`;
}

const INSERT = 'INSERT INTO rates (key, ends_at, spent) VALUES';
const spend = {
  sqlite: written('sqlite')(
    `${INSERT} (?, ?, 1) ${spending('?', '?', '?')}`,
    ...([key, endsAt, endsAt, endsAt, endsAt, endsAt, endsAt, endsAt, spent] as const),
  ),
  postgres: written('postgres')(`${INSERT} ($1, $2, 1) ${spending('$3', '$4', '$5')}`, key, endsAt, endsAt, endsAt, spent),
} satisfies Record<EngineName, unknown>;

/** Skips rows that another transaction is removing or spends from, so that no transaction waits for a sweep. */
const old = dynamic({}, (db, p: { before: number; most: number }, engine) => {
  const all = db.selectFrom('rates').select('key').where('ends_at', '<', p.before).orderBy('ends_at').limit(p.most);
  return engine === 'postgres' ? all.forUpdate().skipLocked() : all;
});
const remove = statement((db, p: { key: Buffer }) => db.deleteFrom('rates').where('key', '=', p.key));

/** `latest`: the latest `endsAt` of a process whose time is ahead of this process's. */
export type Spending = { key: Buffer; most: number; now: number; endsAt: number; latest: number };

export const rateReads = (conn: Conn) => ({
  async get(key: Buffer): Promise<Rate | undefined> {
    return get.first(conn, { key });
  },
});

export const rateWrites = (conn: Conn) => ({
  /**
   * Spends one in the current window, or begins a window that ends at `endsAt`. False if the window has reached `most`, which is at
   * least 1.
   */
  async spend({ key, most, now, endsAt, latest }: Spending): Promise<boolean> {
    const changed =
      conn.engine === 'sqlite'
        ? spend.sqlite.run(conn, [key, endsAt, now, latest, now, latest, now, latest, most])
        : spend.postgres.run(conn, [key, endsAt, now, latest, most]);
    return (await changed) === 1;
  },
  /** Deletes some windows that ended before a time. */
  async sweep(before: number, most: number): Promise<number> {
    const some = await old.all(conn, { before, most });
    for (const { key } of some) await remove.run(conn, { key });
    return some.length;
  },
});
