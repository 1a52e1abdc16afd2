import type { Quarantine } from '../../../model/quarantine.ts';
import { type Conn, statement } from '../../statement.ts';
import { type ModelOf, values } from '../../table.ts';
import { type MasterKeyState, masterKeys, serviceKeys } from '../../tables/instance.ts';

const get = statement((db, p: { key: string }) => db.selectFrom('instance').select('value').where('key', '=', p.key));
const put = statement((db, p: { key: string; value: string }) =>
  db
    .insertInto('instance')
    .values({ key: p.key, value: p.value })
    .onConflict((c) => c.column('key').doUpdateSet({ value: p.value })),
);
const masters = statement((db) => db.selectFrom('master_keys').select(masterKeys.all).orderBy('version'));
const insertMaster = statement((db, p: ModelOf<typeof masterKeys>) => db.insertInto('master_keys').values(values(masterKeys, p)));

/** The columns of every schema version, so that a start can check its root key before it migrates. */
const earlyMasters = statement((db) =>
  db.selectFrom('master_keys').select(['version', 'root_id as rootId', 'wrapped', 'retired']).orderBy('version'),
);
const rewrap = statement((db, p: { version: number; rootId: string; wrapped: Buffer; before: Buffer }) =>
  db
    .updateTable('master_keys')
    .set({ root_id: p.rootId, wrapped: p.wrapped })
    .where('version', '=', p.version)
    .where('wrapped', '=', p.before),
);
const move = statement((db, p: { version: number; from: MasterKeyState; to: MasterKeyState }) =>
  db.updateTable('master_keys').set({ state: p.to }).where('version', '=', p.version).where('state', '=', p.from),
);
const retire = statement((db, p: { version: number; from: MasterKeyState; erased: Buffer; retired: boolean }) =>
  db
    .updateTable('master_keys')
    .set({ state: 'retired' as const, retired: p.retired, wrapped: p.erased })
    .where('version', '=', p.version)
    .where('state', '=', p.from),
);
const object = statement((db, p: { version: number; objection: string }) =>
  db
    .updateTable('master_keys')
    .set({ objection: p.objection })
    .where('version', '=', p.version)
    .where('state', '=', 'coming' as const),
);
const services = statement((db) => db.selectFrom('service_keys').select(serviceKeys.all).orderBy('name'));
const insertService = statement((db, p: ModelOf<typeof serviceKeys>) =>
  db.insertInto('service_keys').values(values(serviceKeys, p)),
);

const putService = statement((db, p: ModelOf<typeof serviceKeys>) =>
  db
    .insertInto('service_keys')
    .values(values(serviceKeys, p))
    .onConflict((c) => c.column('name').doUpdateSet((e) => ({ sealed: e.ref('excluded.sealed') }))),
);

/** `publicKey`: lower-case hex, 65 bytes. */
export type ServiceKeyRow = { name: string; publicKey: string; sealed: Buffer };

export type WrappedMasterKey = {
  version: number;
  rootId: string;
  wrapped: Buffer;
  state: MasterKeyState;
  createdAt: number;
  objection: string;
};

/** The wrapped master keys of a database whose schema may be older. */
export async function earlyMasterKeys(conn: Conn): Promise<Pick<WrappedMasterKey, 'version' | 'rootId' | 'wrapped'>[]> {
  return (await earlyMasters.all(conn, {})).filter(({ retired }) => !retired);
}

/** The row of the quarantine, as JSON. It stays after the end. */
export const QUARANTINE = 'quarantine';
/** The row that says which database this is, as JSON: `src/app/identity.ts`. */
export const IDENTITY = 'identity';

/** The instance's own rows: the only ones that belong to no organization. */
export const instanceReads = (conn: Conn) => ({
  async get(key: string): Promise<string | undefined> {
    return (await get.first(conn, { key }))?.value;
  },
  /** Undefined: the database was never found to be a copy. */
  async quarantine(): Promise<Quarantine | undefined> {
    const found = await get.first(conn, { key: QUARANTINE });
    return found && (JSON.parse(found.value) as Quarantine);
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
  async setQuarantine(found: Quarantine): Promise<void> {
    await put.run(conn, { key: QUARANTINE, value: JSON.stringify(found) });
  },
  async insertMasterKey(key: Omit<WrappedMasterKey, 'objection'>): Promise<void> {
    await insertMaster.run(conn, { ...key, retired: false, objection: '' });
  },
  /** False if the wrapped key is another than `before`. */
  async rewrapMasterKey(
    version: number,
    before: Buffer,
    { rootId, wrapped }: { rootId: string; wrapped: Buffer },
  ): Promise<boolean> {
    return (await rewrap.run(conn, { version, rootId, wrapped, before })) === 1;
  },
  /** False if the version is in another state. A version that is retired loses its key. */
  async moveMasterKey(version: number, from: MasterKeyState, to: Exclude<MasterKeyState, 'retired'>): Promise<boolean> {
    return (await move.run(conn, { version, from, to })) === 1;
  },
  /** Erases the key of a version. A version that came and was never used ends so too: its number is not used again. */
  async retireMasterKey(version: number, from: 'coming' | 'hashes'): Promise<boolean> {
    return (await retire.run(conn, { version, from, erased: Buffer.alloc(0), retired: true })) === 1;
  },
  /** Says why this process cannot use a coming version. */
  async objectToMasterKey(version: number, objection: string): Promise<void> {
    await object.run(conn, { version, objection });
  },
  async insertServiceKey(key: ServiceKeyRow, now: number): Promise<void> {
    await insertService.run(conn, { ...key, createdAt: now });
  },
  /** Inserts it, or replaces what is sealed. */
  async putServiceKey(key: ServiceKeyRow, now: number): Promise<void> {
    await putService.run(conn, { ...key, createdAt: now });
  },
});
