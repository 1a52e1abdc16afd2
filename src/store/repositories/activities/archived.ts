import { type Conn, statement } from '../../statement.ts';

const idOf = statement((db, p: { org: string; fingerprint: string }) =>
  db
    .selectFrom('archived_fingerprints')
    .select('id')
    .where('organization_id', '=', p.org)
    .where('fingerprint', '=', p.fingerprint),
);

const any = statement((db) => db.selectFrom('archived_fingerprints').select('id').limit(1));

export const hasArchived = async (conn: Conn): Promise<boolean> => (await any.first(conn, {})) !== undefined;

/** Reads the archive only if `here` has nothing. */
export async function orArchived<T>(conn: Conn, here: Promise<T | undefined>, there: (archive: Conn) => Promise<T | undefined>) {
  return (await here) ?? (conn.archive && (await there(conn.archive)));
}

export const archiveReads = (conn: Conn) => ({
  /** The archived activity of a body. The id is known even if the archive itself is elsewhere. */
  async idOf(org: string, fingerprint: string): Promise<string | undefined> {
    return (await idOf.first(conn, { org, fingerprint }))?.id;
  },
});
