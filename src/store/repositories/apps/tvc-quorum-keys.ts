import type { TvcQuorumKey, TvcQuorumShare } from '../../../model/tvc/quorum-key.ts';
import type { Page } from '../../page.ts';
import { pagesOf } from '../../pages.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tvcQuorumKeys, tvcQuorumShares } from '../../tables/tvc-quorum-keys.ts';
import type { Upkeep } from '../upkeep.ts';

const byPublicKey = statement((db, p: { org: string; publicKey: string }) =>
  db
    .selectFrom('tvc_quorum_keys')
    .select(tvcQuorumKeys.all)
    .where('organization_id', '=', p.org)
    .where('public_key', '=', p.publicKey),
);
const share = statement((db, p: { org: string; quorumKeyId: string; encryptPublicKey: string }) =>
  db
    .selectFrom('tvc_quorum_shares')
    .select(tvcQuorumShares.all)
    .where('organization_id', '=', p.org)
    .where('quorum_key_id', '=', p.quorumKeyId)
    .where('encrypt_public_key', '=', p.encryptPublicKey),
);
const pages = pagesOf(tvcQuorumKeys);
const insert = statement((db, p: TvcQuorumKey) => db.insertInto('tvc_quorum_keys').values(values(tvcQuorumKeys, p)));
const insertShare = statement((db, p: TvcQuorumShare) => db.insertInto('tvc_quorum_shares').values(values(tvcQuorumShares, p)));

export const tvcQuorumKeyReads = (conn: Conn) => ({
  byPublicKey: (org: string, publicKey: string): Promise<TvcQuorumKey | undefined> => byPublicKey.first(conn, { org, publicKey }),
  /** The share that is sealed to this key. */
  share: (org: string, quorumKeyId: string, encryptPublicKey: string): Promise<TvcQuorumShare | undefined> =>
    share.first(conn, { org, quorumKeyId, encryptPublicKey }),
  /** In the order of creation. */
  page: (org: string, page: Page): Promise<TvcQuorumKey[]> => pages(conn, org, page),
});

export const tvcQuorumKeyWrites = (conn: Conn, { counts }: Upkeep) => ({
  /** A quorum key exists as long as its organization. */
  async insert(key: TvcQuorumKey): Promise<void> {
    await insert.run(conn, key);
    counts.add(key.organizationId, 'tvcQuorumKeyCount', 1);
  },
  async insertShare(one: TvcQuorumShare): Promise<void> {
    await insertShare.run(conn, one);
  },
});
