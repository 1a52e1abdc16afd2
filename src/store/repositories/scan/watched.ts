import { sql } from 'kysely';
import { list } from '../../columns.ts';
import { idText } from '../../compact.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { signers } from '../../tables/signers.ts';

const { address } = signers.model;

/** An address of a wallet account. Several organizations may have it, and several accounts of one. */
export type Watched = { organizationId: string; parentId: string | null; address: string };

type Stored = { organizationId: Buffer; parentId: Buffer | null; address: string };

/** The same conditions as in the indexes. */
const ETHEREUM = `format = 'ADDRESS_FORMAT_ETHEREUM' AND wallet_id IS NOT NULL`;
const SOLANA = `format = 'ADDRESS_FORMAT_SOLANA' AND wallet_id IS NOT NULL`;

const SELECT = 'SELECT organization_id AS "organizationId", parent_id AS "parentId", address FROM signers WHERE';
const find = (column: string, condition: string) => ({
  sqlite: written<Stored>('sqlite')(`${SELECT} ${column} IN (SELECT value FROM json_each(?)) AND ${condition}`, address),
  postgres: written<Watched>('postgres')(`${SELECT} ${column} = ANY($1) AND ${condition}`, list(address)),
});
const ethereum = find('lower(address)', ETHEREUM);
const solana = find('address', SOLANA);

const solanaAfter = statement((db, p: { caip2: string; after: string; limit: number }) =>
  db
    .selectFrom('signers')
    .leftJoin('scan_addresses', (join) =>
      join.onRef('scan_addresses.address', '=', 'signers.address').on('scan_addresses.caip2', '=', p.caip2),
    )
    .select(['signers.address', 'scan_addresses.address as scanned'])
    .where(sql<boolean>`${sql.raw(SOLANA)}`)
    .where('signers.address', '>', p.after)
    .orderBy('signers.address')
    .limit(p.limit),
);

async function among(conn: Conn, { sqlite, postgres }: typeof solana, addresses: readonly string[]): Promise<Watched[]> {
  const found =
    conn.engine === 'postgres'
      ? await postgres.all(conn, [addresses])
      : (await sqlite.all(conn, [JSON.stringify(addresses)])).map((row) => ({
          organizationId: idText(row.organizationId),
          parentId: row.parentId === null ? null : idText(row.parentId),
          address: row.address,
        }));
  return [...new Map(found.map((one) => [`${one.organizationId} ${one.address}`, one])).values()];
}

/** The addresses of wallet accounts of all organizations. */
export const watchedReads = (conn: Conn) => ({
  /** Those of the addresses that wallet accounts have. They are given in lower case, and returned as the accounts have them. */
  async ethereum(addresses: readonly string[]): Promise<Watched[]> {
    return among(conn, ethereum, addresses);
  },
  async solana(addresses: readonly string[]): Promise<Watched[]> {
    return among(conn, solana, addresses);
  },
  /** The addresses of wallet accounts on Solana, in a fixed order. Several accounts may have one. `after` is exclusive; '' begins. */
  async solanaAfter(caip2: string, after: string, limit: number): Promise<{ address: string; isScanned: boolean }[]> {
    const found = await solanaAfter.all(conn, { caip2, after, limit });
    return found.map(({ address: one, scanned }) => ({ address: one, isScanned: scanned !== null }));
  },
});
