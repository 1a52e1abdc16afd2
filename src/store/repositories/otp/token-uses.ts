import type { TokenUse } from '../../../model/token.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { tokenUses } from '../../tables/token-uses.ts';

const insert = statement((db, p: TokenUse) =>
  db
    .insertInto('token_uses')
    .values(values(tokenUses, p))
    .onConflict((c) => c.columns(['organization_id', 'token_id', 'purpose']).doNothing()),
);

/** Skips rows that another transaction is removing, so that no transaction waits for a sweep. */
const swept = dynamic({}, (db, p: { org: string; expiresAt: number; most: number }, engine) => {
  const expired = db
    .selectFrom('token_uses')
    .select(['token_id as tokenId', 'purpose'])
    .where('organization_id', '=', p.org)
    .where('expires_at', '<', p.expiresAt)
    .orderBy('expires_at')
    .limit(p.most);
  return engine === 'postgres' ? expired.forUpdate().skipLocked() : expired;
});
const remove = statement((db, p: { org: string; tokenId: string; purpose: TokenUse['purpose'] }) =>
  db
    .deleteFrom('token_uses')
    .where('organization_id', '=', p.org)
    .where('token_id', '=', p.tokenId)
    .where('purpose', '=', p.purpose),
);

export const tokenUseWrites = (conn: Conn) => ({
  /** False if the token was used for this purpose before. */
  async insert(use: TokenUse): Promise<boolean> {
    return (await insert.run(conn, use)) === 1;
  },
  /** Deletes some uses of tokens that expired before a time. */
  async sweep(org: string, expiresAt: number, most: number): Promise<number> {
    const expired = await swept.all(conn, { org, expiresAt, most });
    for (const { tokenId, purpose } of expired) await remove.run(conn, { org, tokenId, purpose });
    return expired.length;
  },
});
