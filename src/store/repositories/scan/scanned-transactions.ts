import { sql } from 'kysely';
import type { ScannedTransaction } from '../../../model/scan.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { scannedTransactions } from '../../tables/scan.ts';

/** One address of one organization on one chain. */
export type AddressKey = Pick<ScannedTransaction, 'organizationId' | 'caip2' | 'address'>;

type Edges = { above: string | undefined; below: string | undefined; limit: number };

/** Newest first. A page with `before` alone is read in ascending order. */
const ascends = ({ above, below }: Edges): boolean => above !== undefined && below === undefined;

const page = dynamic({ above: true, below: true }, (db, p: AddressKey & Edges) =>
  inRange(db.selectFrom('scanned_transactions').select(scannedTransactions.all).where('organization_id', '=', p.organizationId), {
    fixed: [
      ['caip2', p.caip2],
      ['address', p.address],
    ],
    key: 'place',
    above: p.above,
    below: p.below,
    descending: !ascends(p),
    limit: p.limit,
  }),
);

/** The same condition as in the index. */
export const NOT_FINAL = sql<boolean>`finalized = 0`;

const insert = statement((db, p: ScannedTransaction) =>
  db
    .insertInto('scanned_transactions')
    .values(values(scannedTransactions, p))
    .onConflict((c) => c.doNothing()),
);
const finalize = statement((db, p: AddressKey & { place: string }) =>
  db
    .updateTable('scanned_transactions')
    .set({ finalized: true })
    .where('organization_id', '=', p.organizationId)
    .where('caip2', '=', p.caip2)
    .where('address', '=', p.address)
    .where('place', '=', p.place)
    .where('finalized', '=', false),
);
const removeAbove = statement((db, p: { caip2: string; number: number }) =>
  db.deleteFrom('scanned_transactions').where('caip2', '=', p.caip2).where('block_number', '>', p.number).where(NOT_FINAL),
);
const remove = statement((db, p: AddressKey & { place: string }) =>
  db
    .deleteFrom('scanned_transactions')
    .where('organization_id', '=', p.organizationId)
    .where('caip2', '=', p.caip2)
    .where('address', '=', p.address)
    .where('place', '=', p.place),
);

export const scannedTransactionReads = (conn: Conn) => ({
  /** Newest first. The cursors are places. `after`: the page continues with older ones. */
  async page({ organizationId, caip2, address }: AddressKey, { limit, after, before }: Page): Promise<ScannedTransaction[]> {
    const edges = { above: before, below: after, limit };
    const found = await page.all(conn, { organizationId, caip2, address, ...edges });
    return ascends(edges) ? found.reverse() : found;
  },
});

/** Only for the process that holds the chain's lease. */
export const scannedTransactionWrites = (conn: Conn) => ({
  /** False if the row exists. */
  async insert(transaction: ScannedTransaction): Promise<boolean> {
    return (await insert.run(conn, transaction)) === 1;
  },
  /** False if it is finalized already, or gone. */
  async finalize({ organizationId, caip2, address, place }: ScannedTransaction): Promise<boolean> {
    return (await finalize.run(conn, { organizationId, caip2, address, place })) === 1;
  },
  /** Removes those of blocks above a number, because the blocks fell out. */
  async removeAbove(caip2: string, number: number): Promise<void> {
    await removeAbove.run(conn, { caip2, number });
  },
  /** Removes one, because it fell out. */
  async remove({ organizationId, caip2, address, place }: ScannedTransaction): Promise<void> {
    await remove.run(conn, { organizationId, caip2, address, place });
  },
});
