import type { TvcOperatorSet } from '../../../model/tvc/operator.ts';
import { membersDigest } from '../../../model/tvc/operator.ts';
import { rowsByIds } from '../../by-ids.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcOperatorSets } from '../../tables/tvc.ts';

const byIds = rowsByIds(tvcOperatorSets);
const same = statement((db, p: { org: string; members: string; threshold: number; name: string }) =>
  db
    .selectFrom('tvc_operator_sets')
    .select(tvcOperatorSets.all)
    .where('organization_id', '=', p.org)
    .where('members', '=', p.members)
    .where('threshold', '=', p.threshold)
    .where('name', '=', p.name),
);
const insert = statement((db, p: TvcOperatorSet) => db.insertInto('tvc_operator_sets').values(values(tvcOperatorSets, p)));

export const tvcOperatorSetReads = (conn: Conn) => ({
  /** The sets with these ids, in no order. Unknown ids are left out. */
  byIds: (org: string, ids: readonly string[]): Promise<TvcOperatorSet[]> => byIds(conn, org, ids),
  /** The set with this name and threshold, and these operators in any order. */
  same(org: string, name: string, threshold: number, operatorIds: readonly string[]): Promise<TvcOperatorSet | undefined> {
    return same.first(conn, { org, members: membersDigest(operatorIds), threshold, name });
  },
});

export const tvcOperatorSetWrites = (conn: Conn) => ({
  /** A set exists as long as its organization. */
  async insert(set: TvcOperatorSet): Promise<void> {
    await insert.run(conn, set);
  },
});
