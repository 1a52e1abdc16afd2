import type { ScanAddress, ScanBlock, ScannedTransaction, ScanPlace } from '../../../model/scan.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { scanAddresses, scanBlocks, scannedTransactions, scanPlaces } from '../../tables/scan.ts';
import { NOT_FINAL } from './scanned-transactions.ts';

const place = statement((db, p: { caip2: string }) =>
  db.selectFrom('scan_places').select(scanPlaces.all).where('caip2', '=', p.caip2),
);
const putPlace = statement((db, p: ScanPlace) =>
  db
    .insertInto('scan_places')
    .values(values(scanPlaces, p))
    .onConflict((c) => c.column('caip2').doUpdateSet({ number: p.number, hash: p.hash, updated_at: p.updatedAt })),
);
const blocks = statement((db, p: { caip2: string; limit: number }) =>
  db.selectFrom('scan_blocks').select(scanBlocks.all).where('caip2', '=', p.caip2).orderBy('number', 'desc').limit(p.limit),
);
const addBlock = statement((db, p: ScanBlock) => db.insertInto('scan_blocks').values(values(scanBlocks, p)));
const dropBlocks = statement((db, p: { caip2: string; number: number }) =>
  db.deleteFrom('scan_blocks').where('caip2', '=', p.caip2).where('number', '>', p.number),
);
const pruneBlocks = statement((db, p: { caip2: string; number: number }) =>
  db.deleteFrom('scan_blocks').where('caip2', '=', p.caip2).where('number', '<', p.number),
);
const address = statement((db, p: { caip2: string; address: string }) =>
  db.selectFrom('scan_addresses').select(scanAddresses.all).where('caip2', '=', p.caip2).where('address', '=', p.address),
);
const leastRecent = statement((db, p: { caip2: string; limit: number }) =>
  db.selectFrom('scan_addresses').select(scanAddresses.all).where('caip2', '=', p.caip2).orderBy('checked_at').limit(p.limit),
);
const putAddress = statement((db, p: ScanAddress) =>
  db
    .insertInto('scan_addresses')
    .values(values(scanAddresses, p))
    .onConflict((c) =>
      c.columns(['caip2', 'address']).doUpdateSet((e) => ({
        last_signature: e.ref('excluded.last_signature'),
        last_slot: e.ref('excluded.last_slot'),
        checked_at: e.ref('excluded.checked_at'),
        tokens: e.ref('excluded.tokens'),
      })),
    ),
);
const addressCount = statement((db, p: { caip2: string }) =>
  db
    .selectFrom('scan_addresses')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('caip2', '=', p.caip2),
);
const checkedBy = statement((db, p: { now: number }) =>
  db.updateTable('scan_addresses').set({ checked_at: p.now }).where('checked_at', '>', p.now),
);
const removeAddress = statement((db, p: { caip2: string; address: string }) =>
  db.deleteFrom('scan_addresses').where('caip2', '=', p.caip2).where('address', '=', p.address),
);

type Numbers = { from: number; upTo: number };

const notFinal = statement((db, p: { caip2: string; limit: number } & Numbers) =>
  db
    .selectFrom('scanned_transactions')
    .select(scannedTransactions.all)
    .where('caip2', '=', p.caip2)
    .where('block_number', '>=', p.from)
    .where('block_number', '<=', p.upTo)
    .where(NOT_FINAL)
    .orderBy('block_number')
    .limit(p.limit),
);

export const scanReads = (conn: Conn) => ({
  async place(caip2: string): Promise<ScanPlace | undefined> {
    return place.first(conn, { caip2 });
  },
  /** The scanned blocks that may fall out, the newest first. */
  async blocks(caip2: string, limit: number): Promise<ScanBlock[]> {
    return blocks.all(conn, { caip2, limit });
  },
  /** Transactions of some blocks that are not finalized, of all organizations, the oldest first. */
  async notFinal(caip2: string, numbers: Numbers, limit: number): Promise<ScannedTransaction[]> {
    return notFinal.all(conn, { caip2, ...numbers, limit });
  },
  async address(caip2: string, one: string): Promise<ScanAddress | undefined> {
    return address.first(conn, { caip2, address: one });
  },
  async addressCount(caip2: string): Promise<number> {
    return Number((await addressCount.first(conn, { caip2 }))!.n);
  },
  /** Those that were checked longest ago come first. */
  async leastRecentAddresses(caip2: string, limit: number): Promise<ScanAddress[]> {
    return leastRecent.all(conn, { caip2, limit });
  },
});

/** Only for the process that holds the chain's lease. */
export const scanWrites = (conn: Conn) => ({
  /** `firstNumber` is kept. */
  async putPlace(given: ScanPlace): Promise<void> {
    await putPlace.run(conn, given);
  },
  async addBlock(given: ScanBlock): Promise<void> {
    await addBlock.run(conn, given);
  },
  /** Forgets the blocks above a number, because they fell out. */
  async dropBlocks(caip2: string, number: number): Promise<void> {
    await dropBlocks.run(conn, { caip2, number });
  },
  /** Forgets the blocks below a number, because they are final. */
  async pruneBlocks(caip2: string, number: number): Promise<void> {
    await pruneBlocks.run(conn, { caip2, number });
  },
  async putAddress(given: ScanAddress): Promise<void> {
    await putAddress.run(conn, given);
  },
  /** After the clock was set back: addresses that were checked later than now would wait until then. */
  async checkedBy(now: number): Promise<void> {
    await checkedBy.run(conn, { now });
  },
  async removeAddress(caip2: string, one: string): Promise<void> {
    await removeAddress.run(conn, { caip2, address: one });
  },
});
