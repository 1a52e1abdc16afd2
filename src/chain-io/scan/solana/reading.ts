import type { ScannedTransaction } from '../../../model/scan.ts';
import type { SolanaScanned } from '../../nodes/solana/scan.ts';
import { type Assets, assetsOf } from '../assets.ts';
import type { Found } from './cursors.ts';
import type { Parts } from './parts.ts';
import { addressesIn, rowOf } from './transactions.ts';

const MILLISECONDS = 20_000;
/** Read transactions that this process remembers, so that each is read once for all of its addresses. */
const REMEMBERED = 10_000;

export type Seen = { row: ScannedTransaction; parentId: string | null };

const keyOf = (signature: string, slot: number): string => `${signature} ${slot}`;

export type Reading = {
  /** The rows of transactions for all watched addresses. Without those that were read before. */
  seenIn(found: readonly Found[]): Promise<Seen[]>;
  /** They are written. */
  remember(found: readonly Found[]): void;
  forget(gone: ScannedTransaction): void;
};

/** Reads transactions. */
export function reading({ store, node, clock, assets: all }: Parts): Reading {
  const { caip2 } = node;
  const assets: Assets = assetsOf(all);
  const read = new Set<string>();

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

  return {
    async seenIn(found) {
      const transactions = await transactionsOf(found);
      const named = transactions.map((transaction) => ({ transaction, addresses: addressesIn(transaction, assets) }));
      const by = await accountsBy([...new Set(named.flatMap(({ addresses }) => addresses))]);
      const concerned = named.flatMap(({ transaction, addresses }) => {
        const accounts = addresses.flatMap((address) => by.get(address) ?? []);
        return accounts.length === 0 ? [] : [{ transaction, accounts }];
      });
      if (concerned.length === 0) return [];
      const slots = new Set(concerned.map(({ transaction }) => transaction.slot));
      const blocks = await node.scans.blocks([...slots], MILLISECONDS);
      const now = clock.now();
      return concerned.flatMap(({ transaction, accounts }) =>
        accounts.map((account) => ({
          row: rowOf(transaction, account, { caip2, block: blocks.get(transaction.slot)!, assets, now }),
          parentId: account.parentId,
        })),
      );
    },
    remember(found) {
      for (const { signature, slot } of found) read.add(keyOf(signature, slot));
      for (const key of read) {
        if (read.size <= REMEMBERED) break;
        read.delete(key);
      }
    },
    forget: ({ transactionHash, blockNumber }) => void read.delete(keyOf(transactionHash, blockNumber)),
  };
}
