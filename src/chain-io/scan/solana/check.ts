import type { ScanAddress, ScannedTransaction } from '../../../model/scan.ts';
import { NoNodeError } from '../../nodes/types.ts';
import { addSeen } from '../balance-events.ts';
import { type Held, LeaseLost } from '../types.ts';
import { type Cursors, cursorsOf, type Found, moved, startOf, withCursors } from './cursors.ts';
import { firstPages, foundIn, type Listing, listMore, takeBatch } from './listing.ts';
import type { Parts } from './parts.ts';
import { reading, type Seen } from './reading.ts';
import type { TokenAccounts } from './token-accounts.ts';

const MILLISECONDS = 20_000;
/** Transactions that are asked for and written together. */
const AT_ONCE = 25;
/** Batches of one address in one step: an address with many new transactions holds up no other one. */
const BATCHES = 4;
/** Addresses whose listings are kept for the next step. Others are listed again. */
const KEPT = 8;
/** How often token accounts are looked for at an address without new transactions. */
const LOOK_MS = 60_000;
const TELLS_MS = 60_000;

/** The new signatures of one address. `found` has the oldest first; it is undefined until all are listed. */
type Work = { row: ScanAddress; cursors: Cursors; listings: readonly Listing[]; found: Found[] | undefined };

const isSame = (a: ScanAddress | undefined, b: ScanAddress): boolean =>
  a !== undefined && JSON.stringify([...cursorsOf(a)]) === JSON.stringify([...cursorsOf(b)]);

const isQuiet = ({ listings, found }: Work): boolean =>
  found === undefined && listings.every(({ kept, isWhole }) => isWhole && kept.length === 0);

export type Checking = {
  check(held: Held, rows: readonly ScanAddress[]): Promise<void>;
  forget(gone: ScannedTransaction): void;
};

/** Reads the new transactions of addresses. */
export function checking(parts: Parts, accountsOf: TokenAccounts): Checking {
  const { store, node, elapsed, log, counts } = parts;
  const { caip2 } = node;
  const { seenIn, remember, forget } = reading(parts);
  const kept = new Map<string, Work>();
  const lookedAt = new Map<string, number>();
  let toldAt = Number.NEGATIVE_INFINITY;

  /** The row as it is after some transactions, which are written with it. */
  async function write(held: Held, row: ScanAddress, cursors: Cursors, seen: readonly Seen[]): Promise<ScanAddress> {
    return held.write(async (tx, now) => {
      // The lease was lost for a while, and another process went on.
      if (!isSame(await tx.scan.address(caip2, row.address), row)) throw new LeaseLost();
      for (const { row: transaction, parentId } of seen) await addSeen(tx, transaction, parentId, now);
      const next = withCursors(row, cursors, now);
      await tx.scan.putAddress(next);
      return next;
    });
  }

  /** Its time of the check moves too, or the same addresses would come again before all others. */
  async function failed(held: Held, { address }: ScanAddress, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) throw error;
    counts.failed();
    if (elapsed.now() - toldAt >= TELLS_MS) {
      toldAt = elapsed.now();
      const message = 'the transactions of an address could not be read; they are read again from the same one';
      log.warn({ network: caip2, address, error }, message);
    }
    const current = await store.read.scan.address(caip2, address);
    if (current !== undefined) await write(held, current, cursorsOf(current), []);
  }

  /** Those without anything new, in one transaction. */
  async function touch(held: Held, quiet: readonly Work[]): Promise<void> {
    if (quiet.length === 0) return;
    await held.write(async (tx, now) => {
      for (const { row, cursors } of quiet) {
        if (!isSame(await tx.scan.address(caip2, row.address), row)) throw new LeaseLost();
        await tx.scan.putAddress(withCursors(row, cursors, now));
      }
    });
  }

  /** Only addresses that accounts still have. */
  async function stillWatched(held: Held, rows: readonly ScanAddress[]): Promise<ScanAddress[]> {
    const accounts = await store.read.watched.solana(rows.map(({ address }) => address));
    const known = new Set(accounts.map(({ address }) => address));
    const lost = rows.filter(({ address }) => !known.has(address));
    if (lost.length > 0)
      await held.write(async (tx) => {
        for (const { address } of lost) await tx.scan.removeAddress(caip2, address);
      });
    for (const { address } of lost) for (const each of [kept, lookedAt]) each.delete(address);
    return rows.filter(({ address }) => known.has(address));
  }

  /** Token accounts that are there since the last look. The transaction that makes one names its owner. */
  async function newTokenAccounts({ address, tokens, lastSlot }: ScanAddress, hasNew: boolean): Promise<Cursors> {
    const now = elapsed.now();
    if (!hasNew && now - (lookedAt.get(address) ?? Number.NEGATIVE_INFINITY) < LOOK_MS) return new Map();
    const unknown = accountsOf(address).filter((account) => !(account in tokens));
    const exist = unknown.length === 0 ? new Set() : await node.scans.existing(unknown, MILLISECONDS);
    lookedAt.set(address, now);
    const cursor = { signature: '', slot: startOf(lastSlot) };
    return new Map(unknown.filter((account) => exist.has(account)).map((account) => [account, cursor]));
  }

  /** Continues the listing of the last step, or asks for the first page of each account. */
  async function begin(row: ScanAddress): Promise<Work> {
    const known = kept.get(row.address);
    if (known !== undefined && isSame(row, known.row)) return known;
    kept.delete(row.address);
    const cursors = cursorsOf(row);
    const listings = await firstPages(node, cursors);
    const added = await newTokenAccounts(row, listings[0]!.kept.length > 0);
    listings.push(...(await firstPages(node, added)));
    return { row, cursors: new Map([...cursors, ...added]), listings, found: undefined };
  }

  function keep(work: Work): void {
    if (kept.size < KEPT) kept.set(work.row.address, work);
  }

  /** Reads the oldest ones. The cursors move with each batch, so the next step goes on from there. */
  async function readSome(held: Held, work: Work): Promise<void> {
    kept.delete(work.row.address);
    const renew = () => held.write(async () => {});
    if (work.found === undefined) {
      const isListed = await listMore(node, work.listings, renew);
      if (isListed) work.found = foundIn(work.listings);
      else work.row = await write(held, work.row, work.cursors, []);
      work.listings = isListed ? [] : work.listings;
    }
    for (let batches = 0; batches < BATCHES && work.found?.length && !held.isClosed(); batches++) {
      const some = takeBatch(work.found, AT_ONCE);
      const seen: Seen[] = [];
      for (let at = 0; at < some.length; at += AT_ONCE) {
        if (at > 0) await renew();
        seen.push(...(await seenIn(some.slice(at, at + AT_ONCE))));
      }
      work.cursors = moved(work.cursors, some);
      work.row = await write(held, work.row, work.cursors, seen);
      remember(some);
    }
    if (work.found?.length !== 0) keep(work);
  }

  /** The addresses share HTTP requests, and each has its own result: nodes may refuse to list one of them. */
  async function beginAll(held: Held, rows: readonly ScanAddress[]): Promise<Work[]> {
    const begun = await Promise.allSettled(rows.map(begin));
    const errors: unknown[] = [];
    for (const [i, one] of begun.entries()) {
      if (one.status === 'fulfilled') continue;
      errors.push(one.reason);
      await failed(held, rows[i]!, one.reason);
    }
    if (errors.length === rows.length && errors.every((error) => error instanceof NoNodeError)) throw errors[0];
    return begun.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  return {
    async check(held, given) {
      const rows = await stillWatched(held, given);
      if (rows.length === 0) return;
      const begun = await beginAll(held, rows);
      await touch(held, begun.filter(isQuiet));
      for (const work of begun.filter((one) => !isQuiet(one))) {
        if (held.isClosed()) return;
        try {
          await readSome(held, work);
        } catch (error) {
          await failed(held, work.row, error);
          if (error instanceof NoNodeError) throw error;
        }
      }
    },
    forget,
  };
}
