import type { ImportTarget } from '../../model/imports.ts';
import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

type Row = Schema['import_targets'];

const get = statement((db, p: { org: string; user: string; kind: string }) =>
  db
    .selectFrom('import_targets')
    .selectAll()
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('kind', '=', p.kind),
);
const put = statement((db, p: Row) => {
  const { id, public_key, sealed, created_at } = p;
  return db
    .insertInto('import_targets')
    .values({ organization_id: p.organization_id, user_id: p.user_id, kind: p.kind, id, public_key, sealed, created_at })
    .onConflict((c) => c.columns(['organization_id', 'user_id', 'kind']).doUpdateSet({ id, public_key, sealed, created_at }));
});
const use = statement((db, p: { org: string; user: string; kind: string; id: string }) =>
  db
    .deleteFrom('import_targets')
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('kind', '=', p.kind)
    .where('id', '=', p.id),
);

export const importTargetReads = (conn: Conn) => ({
  async get(org: string, user: string, kind: ImportTarget['kind']): Promise<ImportTarget | undefined> {
    const row = await get.first(conn, { org, user, kind });
    return (
      row && {
        organizationId: row.organization_id,
        userId: row.user_id,
        kind: row.kind as ImportTarget['kind'],
        id: row.id,
        publicKey: row.public_key,
        sealed: row.sealed as Buffer,
        createdAt: row.created_at,
      }
    );
  },
});

export const importTargetWrites = (conn: Conn) => ({
  /** Takes the place of an earlier one of the same user and kind. */
  async put(t: ImportTarget): Promise<void> {
    await put.run(conn, {
      organization_id: t.organizationId,
      user_id: t.userId,
      kind: t.kind,
      id: t.id,
      public_key: t.publicKey,
      sealed: t.sealed,
      created_at: t.createdAt,
    });
  },
  /** Removes it. False if it is not there any more: somebody else used it, or asked for a new one. */
  async use({ organizationId: org, userId: user, kind, id }: ImportTarget): Promise<boolean> {
    return (await use.run(conn, { org, user, kind, id })) === 1;
  },
});
