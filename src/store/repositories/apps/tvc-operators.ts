import type { TvcOperator } from '../../../model/tvc/operator.ts';
import { rowsByIds } from '../../by-ids.ts';
import { inLists } from '../../lists.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcOperators } from '../../tables/tvc.ts';
import type { Upkeep } from '../upkeep.ts';

type Keys = { org: string; name: string; signPublicKey: string; encryptPublicKey: string };

const byIds = rowsByIds(tvcOperators);
const same = statement((db, p: Keys) =>
  db
    .selectFrom('tvc_operators')
    .select(tvcOperators.all)
    .where('organization_id', '=', p.org)
    .where('sign_public_key', '=', p.signPublicKey)
    .where('encrypt_public_key', '=', p.encryptPublicKey)
    .where('name', '=', p.name),
);
const withEncryptKeys = dynamic({}, (db, p: { org: string; keys: readonly string[] }) =>
  db
    .selectFrom('tvc_operators')
    .select(tvcOperators.all)
    .where('organization_id', '=', p.org)
    .where('encrypt_public_key', 'in', p.keys),
);
const pages = pagesOf(tvcOperators);
const insert = statement((db, p: TvcOperator) => db.insertInto('tvc_operators').values(values(tvcOperators, p)));

export const tvcOperatorReads = (conn: Conn) => ({
  /** The operators with these ids, in no order. Unknown ids are left out. */
  byIds: (org: string, ids: readonly string[]): Promise<TvcOperator[]> => byIds(conn, org, ids),
  /** The operator with this name and these keys. */
  same: (keys: Keys): Promise<TvcOperator | undefined> => same.first(conn, keys),
  /** The operators with these keys to encrypt to, in no order. */
  withEncryptKeys: (org: string, keys: readonly string[]): Promise<TvcOperator[]> =>
    inLists(keys, (some) => withEncryptKeys.all(conn, { org, keys: some })),
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<TvcOperator[]> => pages(conn, org, page),
});

export const tvcOperatorWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** An operator exists as long as its organization. */
  async insert(operator: TvcOperator): Promise<void> {
    await insert.run(conn, operator);
    counts.add(operator.organizationId, 'tvcOperatorCount', 1);
  },
});
