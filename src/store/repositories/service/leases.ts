import type { EngineName } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { leases } from '../../tables/leases.ts';

const { name, owner, leaseUntil } = leases.model;

const CLAIM = 'INSERT INTO leases (name, owner, lease_until)';
const TAKE = `ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
  WHERE leases.owner = excluded.owner OR leases.lease_until <=`;
const claim = {
  sqlite: written('sqlite')(`${CLAIM} VALUES (?, ?, ?) ${TAKE} ?`, name, owner, leaseUntil, leaseUntil),
  postgres: written('postgres')(`${CLAIM} VALUES ($1, $2, $3) ${TAKE} $4`, name, owner, leaseUntil, leaseUntil),
} satisfies Record<EngineName, unknown>;
const release = statement((db, p: { name: string; owner: string }) =>
  db.updateTable('leases').set({ owner: '', lease_until: 0 }).where('name', '=', p.name).where('owner', '=', p.owner),
);
const releaseAll = statement((db) => db.updateTable('leases').set({ owner: '', lease_until: 0 }).where('name', '>', ''));

export const leaseWrites = (conn: Conn) => ({
  /**
   * Takes or renews a lease, and locks its row until the transaction ends. Each transaction of the owner begins with it. False if
   * another process has the lease: then nothing may be written.
   */
  async claim(name: string, owner: string, now: number, until: number): Promise<boolean> {
    const { run } = claim[conn.engine];
    return (await run(conn, [name, owner, until, now])) === 1;
  },
  /** Another process may take the lease at once. */
  async release(name: string, owner: string): Promise<void> {
    await release.run(conn, { name, owner });
  },
  /** For a service's time that was set back: no lease ends in its far future. */
  async releaseAll(): Promise<void> {
    await releaseAll.run(conn, {});
  },
});
