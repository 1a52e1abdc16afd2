import { type Conn, statement } from '../../statement.ts';
import { type ModelOf, values } from '../../table.ts';
import { masterKeys, serviceKeys } from '../../tables/instance.ts';

const get = statement((db, p: { key: string }) => db.selectFrom('instance').select('value').where('key', '=', p.key));
const put = statement((db, p: { key: string; value: string }) =>
  db
    .insertInto('instance')
    .values({ key: p.key, value: p.value })
    .onConflict((c) => c.column('key').doUpdateSet({ value: p.value })),
);
const masters = statement((db) => db.selectFrom('master_keys').select(masterKeys.all).orderBy('version'));
const insertMaster = statement((db, p: ModelOf<typeof masterKeys>) => db.insertInto('master_keys').values(values(masterKeys, p)));

const services = statement((db) => db.selectFrom('service_keys').select(serviceKeys.all).orderBy('name'));
const insertService = statement((db, p: ModelOf<typeof serviceKeys>) =>
  db.insertInto('service_keys').values(values(serviceKeys, p)),
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
    return masters.all(conn, {});
  },
  async serviceKeys(): Promise<ServiceKeyRow[]> {
    return services.all(conn, {});
  },
});

export const instanceWrites = (conn: Conn) => ({
  async put(key: string, value: string): Promise<void> {
    await put.run(conn, { key, value });
  },
  async insertMasterKey(version: number, rootId: string, wrapped: Buffer, now: number): Promise<void> {
    await insertMaster.run(conn, { version, rootId, wrapped, retired: false, createdAt: now });
  },
  async insertServiceKey(key: ServiceKeyRow, now: number): Promise<void> {
    await insertService.run(conn, { ...key, createdAt: now });
  },
});
