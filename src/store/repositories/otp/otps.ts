import type { Otp } from '../../../model/otp.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { otps } from '../../tables/otps.ts';

type Place = { org: string; id: string };

const get = statement((db, p: Place) =>
  db.selectFrom('otps').select(otps.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const ofContact = statement((db, p: { org: string; contact: string; since: number; most: number }) =>
  db
    .selectFrom('otps')
    .select(['code', 'expires_at as expiresAt', 'created_at as createdAt'])
    .where('organization_id', '=', p.org)
    .where('contact_key', '=', p.contact)
    .where('created_at', '>', p.since)
    .orderBy('created_at', 'desc')
    .limit(p.most),
);
const ofIdentifier = statement((db, p: { org: string; identifier: string; since: number; most: number }) =>
  db
    .selectFrom('otps')
    .select('created_at as createdAt')
    .where('organization_id', '=', p.org)
    .where('user_identifier', 'is not', null)
    .where('user_identifier', '=', p.identifier)
    .where('created_at', '>', p.since)
    .orderBy('created_at', 'desc')
    .limit(p.most),
);
const insert = statement((db, p: Otp) => db.insertInto('otps').values(values(otps, p)));
const miss = statement((db, p: Place & { seen: number; misses: number }) =>
  db
    .updateTable('otps')
    .set({ misses: p.misses })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('misses', '=', p.seen)
    .where('code', 'is not', null),
);
const close = statement((db, p: Place) =>
  db
    .updateTable('otps')
    .set({ code: null, target_public_key: null, target_key: null })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('code', 'is not', null),
);
/** Skips rows that another transaction is removing, so that no transaction waits for a sweep. */
const old = dynamic({}, (db, p: { before: number; most: number }, engine) => {
  const all = db
    .selectFrom('otps')
    .select(['organization_id as organizationId', 'id'])
    .where('created_at', '<', p.before)
    .orderBy('created_at')
    .limit(p.most);
  return engine === 'postgres' ? all.forUpdate().skipLocked() : all;
});
const remove = statement((db, p: Place) => db.deleteFrom('otps').where('organization_id', '=', p.org).where('id', '=', p.id));

export const otpReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<Otp | undefined> {
    return get.first(conn, { org, id });
  },
  /** The latest codes for a contact that were made after a time. */
  async ofContact(
    org: string,
    contact: string,
    since: number,
    most: number,
  ): Promise<Pick<Otp, 'code' | 'expiresAt' | 'createdAt'>[]> {
    return ofContact.all(conn, { org, contact: contact.toLowerCase(), since, most });
  },
  /** The latest codes for a user identifier that were made after a time. */
  async ofIdentifier(org: string, identifier: string, since: number, most: number): Promise<Pick<Otp, 'createdAt'>[]> {
    return ofIdentifier.all(conn, { org, identifier, since, most });
  },
});

export const otpWrites = (conn: Conn) => ({
  async insert(otp: Otp): Promise<void> {
    await insert.run(conn, otp);
  },
  /** Counts one more wrong guess. False if another request came first, or the code was used. */
  async miss({ organizationId: org, id, misses }: Otp): Promise<boolean> {
    return (await miss.run(conn, { org, id, seen: misses, misses: misses + 1 })) === 1;
  },
  /** Uses or locks the code: the stored value for comparison and the key are deleted. False if that was done before. */
  async close(org: string, id: string): Promise<boolean> {
    return (await close.run(conn, { org, id })) === 1;
  },
  /** Deletes some codes, of any organization, that were made before a time. */
  async sweep(before: number, most: number): Promise<number> {
    const some = await old.all(conn, { before, most });
    for (const { organizationId, id } of some) await remove.run(conn, { org: organizationId, id });
    return some.length;
  },
});
