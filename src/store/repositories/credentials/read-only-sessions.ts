import type { ReadOnlySession } from '../../../model/read-only-session.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { readOnlySessions } from '../../tables/read-only-sessions.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('read_only_sessions').select(readOnlySessions.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const ofUser = statement((db, p: { org: string; user: string }) =>
  db
    .selectFrom('read_only_sessions')
    .select(readOnlySessions.all)
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .orderBy('id'),
);
const insert = statement((db, p: ReadOnlySession) => db.insertInto('read_only_sessions').values(values(readOnlySessions, p)));
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('read_only_sessions').where('organization_id', '=', p.org).where('id', '=', p.id),
);
const removeOfCredential = statement((db, p: { org: string; user: string; credential: string }) =>
  db
    .deleteFrom('read_only_sessions')
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('credential_id', '=', p.credential),
);
/** For the removal of a user. */
export const removeReadOnlySessions = statement((db, p: { org: string; user: string }) =>
  db.deleteFrom('read_only_sessions').where('organization_id', '=', p.org).where('user_id', '=', p.user),
);

export const readOnlySessionReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<ReadOnlySession | undefined> {
    return get.first(conn, { org, id });
  },
  /** In the order of creation. */
  async listByUser(org: string, user: string): Promise<ReadOnlySession[]> {
    return ofUser.all(conn, { org, user });
  },
});

export const readOnlySessionWrites = (conn: Conn) => ({
  async insert(session: ReadOnlySession): Promise<void> {
    await insert.run(conn, session);
  },
  async remove(org: string, id: string): Promise<void> {
    await remove.run(conn, { org, id });
  },
});

/** Ends the sessions that were made with a removed credential. */
export async function endSessionsOfCredential(conn: Conn, org: string, user: string, credential: string): Promise<void> {
  await removeOfCredential.run(conn, { org, user, credential });
}
