import type { ScanAddress, ScannedTransaction } from '../../../model/scan.ts';
import type { SolanaScanned } from '../../nodes/solana/scan.ts';
import { NoNodeError } from '../../nodes/types.ts';
import { addSeen } from '../balance-events.ts';
import { type Assets, assetsOf } from '../evm/transactions.ts';
import { type Held, LeaseLost } from '../types.ts';
import { type Cursors, cursorsOf, type Found, firstPages, moved, newSignatures, withCursors } from './cursors.ts';
import type { Parts } from './parts.ts';
import type { TokenAccounts } from './token-accounts.ts';
import { addressesIn, rowOf } from './transactions.ts';

const MILLISECONDS = 20_000;
/** Transactions that are asked for and written together. */
const AT_ONCE = 25;
/** Read transactions that this process remembers, so that each is read once for all of its addresses. */
const REMEMBERED = 10_000;
const TELLS_MS = 60_000;

type Seen = { row: ScannedTransaction; parentId: string | null };

const keyOf = (signature: string, slot: number): string => `${signature} ${slot}`;

const isSame = (a: ScanAddress | undefined, b: ScanAddress): boolean =>
  a !== undefined && JSON.stringify([...cursorsOf(a)]) === JSON.stringify([...cursorsOf(b)]);

export type Checking = {
  check(held: Held, rows: readonly ScanAddress[]): Promise<void>;
  forget(gone: ScannedTransaction): void;
};

/** Reads the new transactions of addresses. */
export function checking(parts: Parts, accountsOf: TokenAccounts): Checking {
  const { store, node, clock, elapsed, log, counts } = parts;
  const { caip2 } = node;
  const assets: Assets = assetsOf(parts.assets);
  const read = new Set<string>();
  let toldAt = Number.NEGATIVE_INFINITY;

  function remember(found: readonly Found[]): void {
    for (const { signature, slot } of found) read.add(keyOf(signature, slot));
    for (const key of read) {
      if (read.size <= REMEMBERED) break;
      read.delete(key);
    }
  }

  /** In their order. An endpoint that lags may have listed a transaction before another one has it: the address is checked again. */
  async function transactionsOf(found: readonly Found[]): Promise<SolanaScanned[]> {
    const unread = found.filter(({ signature, slot }) => !read.has(keyOf(signature, slot)));
    if (unread.length === 0) return [];
    const signatures = unread.map(({ signature }) => signature);
    const transactions = await node.scans.transactions(signatures, MILLISECONDS);
    return unread.map(({ signature, slot }, i) => {
      const transaction = transactions[i];
      if (transaction?.slot !== slot) throw new Error(`no endpoint has transaction ${signature} in slot ${slot}`);
      return transaction;
    });
  }

  /** The watched accounts with an address. Addresses beyond SCAN_SOLANA_ADDRESSES have no rows. */
  async function accountsBy(addresses: readonly string[]) {
    const accounts = addresses.length === 0 ? [] : await store.read.watched.solana(addresses);
    const by = Map.groupBy(accounts, ({ address }) => address);
    for (const address of by.keys()) if ((await store.read.scan.address(caip2, address)) === undefined) by.delete(address);
    return by;
  }

  async function seenIn(transactions: readonly SolanaScanned[]): Promise<Seen[]> {
    const named = transactions.map((transaction) => ({ transaction, addresses: addressesIn(transaction, assets) }));
    const by = await accountsBy([...new Set(named.flatMap(({ addresses }) => addresses))]);
    const concerned = named.flatMap(({ transaction, addresses }) => {
      const accounts = addresses.flatMap((address) => by.get(address) ?? []);
      return accounts.length === 0 ? [] : [{ transaction, accounts }];
    });
    if (concerned.length === 0) return [];
    const blocks = await node.scans.blocks([...new Set(concerned.map(({ transaction }) => transaction.slot))], MILLISECONDS);
    const now = clock.now();
    return concerned.flatMap(({ transaction, accounts }) =>
      accounts.map((account) => ({
        row: rowOf(transaction, account, { caip2, block: blocks.get(transaction.slot)!, assets, now }),
        parentId: account.parentId,
      })),
    );
  }

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

  async function readNew(held: Held, from: ScanAddress, cursors: Cursors, found: readonly Found[]): Promise<void> {
    let row = from;
    let current = cursors;
    for (let at = 0; at < found.length && !held.isClosed(); at += AT_ONCE) {
      const some = found.slice(at, at + AT_ONCE);
      const seen = await seenIn(await transactionsOf(some));
      current = moved(current, some);
      row = await write(held, row, current, seen);
      remember(some);
    }
  }

  /** An address whose transactions cannot be read holds up no other one. */
  async function failed(held: Held, row: ScanAddress, error: unknown): Promise<void> {
    if (error instanceof LeaseLost || error instanceof NoNodeError) throw error;
    counts.failed();
    if (elapsed.now() - toldAt >= TELLS_MS) {
      toldAt = elapsed.now();
      const message = 'the transactions of an address could not be read; they are read again from the same one';
      log.warn({ network: caip2, address: row.address, error }, message);
    }
    const current = await store.read.scan.address(caip2, row.address);
    if (current !== undefined) await write(held, current, cursorsOf(current), []);
  }

  /** Those without anything new, in one transaction. */
  async function touch(held: Held, rows: readonly ScanAddress[]): Promise<void> {
    if (rows.length === 0) return;
    await held.write(async (tx, now) => {
      for (const row of rows) {
        if (!isSame(await tx.scan.address(caip2, row.address), row)) throw new LeaseLost();
        await tx.scan.putAddress({ ...row, checkedAt: now });
      }
    });
  }

  /** Only addresses that accounts still have. */
  async function stillWatched(held: Held, rows: readonly ScanAddress[]): Promise<ScanAddress[]> {
    const accounts = await store.read.watched.solana(rows.map(({ address }) => address));
    const known = new Set(accounts.map(({ address }) => address));
    const [kept, lost] = [rows.filter(({ address }) => known.has(address)), rows.filter(({ address }) => !known.has(address))];
    if (lost.length > 0)
      await held.write(async (tx) => {
        for (const { address } of lost) await tx.scan.removeAddress(caip2, address);
      });
    return kept;
  }

  /** With token accounts that are there since the last check. They cannot have older transactions of this watch. */
  function withTokenAccounts(row: ScanAddress, exist: ReadonlySet<string>): Cursors {
    const known = cursorsOf(row);
    const added = accountsOf(row.address).filter((account) => exist.has(account) && !known.has(account));
    return new Map([...known, ...added.map((account) => [account, { signature: '', slot: row.lastSlot }] as const)]);
  }

  return {
    async check(held, given) {
      const rows = await stillWatched(held, given);
      if (rows.length === 0) return;
      const unknown = rows.flatMap(({ address, tokens }) => accountsOf(address).filter((account) => !(account in tokens)));
      const exist = unknown.length === 0 ? new Set<string>() : await node.scans.existing(unknown, MILLISECONDS);
      const all = rows.map((row) => ({ row, cursors: withTokenAccounts(row, exist) }));
      const first = await firstPages(
        node,
        all.map(({ cursors }) => cursors),
      );
      const isQuiet = ({ cursors }: (typeof all)[number]) =>
        [...cursors.keys()].every((account) => first.get(account)!.length === 0);
      await touch(
        held,
        all.filter(isQuiet).map(({ row }) => row),
      );
      for (const one of all.filter((each) => !isQuiet(each))) {
        const { row, cursors } = one;
        if (held.isClosed()) return;
        try {
          const found = await newSignatures(node, cursors, first, () => held.write(async () => {}));
          if (found.length === 0) await touch(held, [row]);
          else await readNew(held, row, cursors, found);
        } catch (error) {
          await failed(held, row, error);
        }
      }
    },
    forget: ({ transactionHash, blockNumber }) => void read.delete(keyOf(transactionHash, blockNumber)),
  };
}
