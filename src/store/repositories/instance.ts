import type { Schema } from '../schema.ts';
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

const serviceKeys = statement((db) => db.selectFrom('service_keys').selectAll().orderBy('name'));
const insertServiceKey = statement((db, p: Schema['service_keys']) =>
  db.insertInto('service_keys').values({ name: p.name, public_key: p.public_key, sealed: p.sealed, created_at: p.created_at }),
);

/** `publicKey`: lower-case hex, 65 bytes. */
export type ServiceKeyRow = { name: string; publicKey: string; sealed: Buffer };

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
  async serviceKeys(): Promise<ServiceKeyRow[]> {
    const rows = await serviceKeys.all(conn, {});
    return rows.map((row) => ({ name: row.name, publicKey: row.public_key, sealed: row.sealed as Buffer }));
  },
});

export const instanceWrites = (conn: Conn) => ({
  async put(key: string, value: string): Promise<void> {
    await put.run(conn, { key, value });
  },
  async insertMasterKey(version: number, rootId: string, wrapped: Buffer, now: number): Promise<void> {
    await insertMaster.run(conn, { version, root_id: rootId, wrapped, now });
  },
  async insertServiceKey({ name, publicKey, sealed }: ServiceKeyRow, now: number): Promise<void> {
    await insertServiceKey.run(conn, { name, public_key: publicKey, sealed, created_at: now });
  },
});
