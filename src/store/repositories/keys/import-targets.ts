import type { ImportTarget } from '../../../model/imports.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { importTargets } from '../../tables/import-targets.ts';

const get = statement((db, p: { org: string; user: string; kind: ImportTarget['kind'] }) =>
  db
    .selectFrom('import_targets')
    .select(importTargets.all)
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('kind', '=', p.kind),
);
const put = statement((db, p: ImportTarget) => {
  const row = values(importTargets, p);
  const { organization_id, user_id, kind, ...rest } = row;
  return db
    .insertInto('import_targets')
    .values(row)
    .onConflict((c) => c.columns(['organization_id', 'user_id', 'kind']).doUpdateSet(rest));
});
const use = statement((db, p: { org: string; user: string; kind: ImportTarget['kind']; id: string }) =>
  db
    .deleteFrom('import_targets')
    .where('organization_id', '=', p.org)
    .where('user_id', '=', p.user)
    .where('kind', '=', p.kind)
    .where('id', '=', p.id),
);

export const importTargetReads = (conn: Conn) => ({
  async get(org: string, user: string, kind: ImportTarget['kind']): Promise<ImportTarget | undefined> {
    return get.first(conn, { org, user, kind });
  },
});

export const importTargetWrites = (conn: Conn) => ({
  /** Replaces an earlier target of the same user and kind. */
  async put(t: ImportTarget): Promise<void> {
    await put.run(conn, t);
  },
  /** Removes the target. False if it was already used or replaced. */
  async use({ organizationId: org, userId: user, kind, id }: ImportTarget): Promise<boolean> {
    return (await use.run(conn, { org, user, kind, id })) === 1;
  },
});
