import { type Conn, statement } from '../statement.ts';

const get = statement((db, p: { key: string }) => db.selectFrom('instance').select('value').where('key', '=', p.key));
const put = statement((db, p: { key: string; value: string }) =>
  db
    .insertInto('instance')
    .values({ key: p.key, value: p.value })
    .onConflict((c) => c.column('key').doUpdateSet({ value: p.value })),
);
const masters = statement((db) => db.selectFrom('master_keys').selectAll().orderBy('version'));
const insertMaster = statement((db, p: { version: number; root_id: string; wrapped: Uint8Array; now: number }) =>
  db
    .insertInto('master_keys')
    .values({ version: p.version, root_id: p.root_id, wrapped: p.wrapped, retired: 0, created_at: p.now }),
);

export type WrappedMasterKey = { version: number; rootId: string; wrapped: Buffer; retired: boolean };

/** The instance's own rows: the only ones that belong to no organization. */
export const instanceReads = (conn: Conn) => ({
  async get(key: string): Promise<string | undefined> {
    return (await get.first(conn, { key }))?.value;
  },
  async masterKeys(): Promise<WrappedMasterKey[]> {
    const rows = await masters.all(conn, {});
    return rows.map((row) => ({
      version: row.version,
      rootId: row.root_id,
      wrapped: row.wrapped as Buffer,
      retired: row.retired === 1,
    }));
  },
});

export const instanceWrites = (conn: Conn) => ({
  async put(key: string, value: string): Promise<void> {
    await put.run(conn, { key, value });
  },
  async insertMasterKey(version: number, rootId: string, wrapped: Buffer, now: number): Promise<void> {
    await insertMaster.run(conn, { version, root_id: rootId, wrapped, now });
  },
});
