import { list } from '../../columns.ts';
import { idText } from '../../compact.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { signers } from '../../tables/signers.ts';

const { address, format } = signers.model;

/** An address of a wallet account. Several organizations may have it, and several accounts of one. */
export type Watched = { organizationId: string; parentId: string | null; address: string };

const SELECT = 'SELECT organization_id AS "organizationId", parent_id AS "parentId", address FROM signers';
const OF_WALLETS = 'wallet_id IS NOT NULL';
const sqliteFind = written<{ organizationId: Buffer; parentId: Buffer | null; address: string }>('sqlite')(
  `${SELECT} WHERE format = ? AND address IN (SELECT value FROM json_each(?)) AND ${OF_WALLETS}`,
  format,
  address,
);
const postgresFind = written<Watched>('postgres')(
  `${SELECT} WHERE format = $1 AND address = ANY($2) AND ${OF_WALLETS}`,
  format,
  list(address),
);
const following = statement((db, p: { format: string; after: string; limit: number }) =>
  db
    .selectFrom('signers')
    .select('address')
    .distinct()
    .where('format', '=', p.format)
    .where('address', '>', p.after)
    .where('wallet_id', 'is not', null)
    .orderBy('address')
    .limit(p.limit),
);

export const watchedReads = (conn: Conn) => ({
  /** Those of the addresses that wallet accounts of any organization have, by one look-up. */
  async among(addressFormat: string, addresses: readonly string[]): Promise<Watched[]> {
    const found =
      conn.engine === 'postgres'
        ? await postgresFind.all(conn, [addressFormat, addresses])
        : (await sqliteFind.all(conn, [addressFormat, JSON.stringify(addresses)])).map((row) => ({
            organizationId: idText(row.organizationId),
            parentId: row.parentId === null ? null : idText(row.parentId),
            address: row.address,
          }));
    return [...new Map(found.map((one) => [`${one.organizationId} ${one.address}`, one])).values()];
  },
  /** The addresses of wallet accounts in one format, in a fixed order. `after` is exclusive; '' begins. */
  async following(addressFormat: string, after: string, limit: number): Promise<string[]> {
    return (await following.all(conn, { format: addressFormat, after, limit })).map(({ address: one }) => one);
  },
});
