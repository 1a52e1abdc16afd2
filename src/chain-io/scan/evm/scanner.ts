import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../engine/ports.ts';
import type { Asset } from '../../../model/asset.ts';
import type { ScannedTransaction, ScanPlace } from '../../../model/scan.ts';
import type { Store } from '../../../store/types.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import type { EvmScan } from '../../nodes/evm/scan.ts';
import type { Hex } from '../../nodes/read.ts';
import { recentAnswer } from '../../nodes/recent-answer.ts';
import { assetsOf } from '../assets.ts';
import { addSeen, finalizeUpTo } from '../balance-events.ts';
import { stoppable } from '../stopped.ts';
import { type ChainScanner, type Held, LeaseLost, type ScanCounts } from '../types.ts';
import { goBack, hasReplaced, lookAtShorter } from './reorganized.ts';
import { addressesIn, concernedIn, rowsOf } from './transactions.ts';

/** How long nodes have for a block with its logs, or for receipts. */
const MILLISECONDS = 20_000;
/** Blocks that are asked for together while the scan is behind. */
const AHEAD = 4;
/** An endpoint may lack this many of the latest blocks for a moment. */
const UNSURE = 3;
/** How often the latest block is asked for, to know the lag. */
const HEAD_MS = 10_000;
const LARGE_LAG = 1_000;
/** How often the log tells that a scan lags. */
const TELLS_MS = 60_000;
/** A new block is asked for a few times in the time between two blocks. */
const POLL = { parts: 3, least: 250, most: 4_000 };
/** Nodes may lag for a while. A chain that ends before the place after this time may have been reset. */
const SHORTER_MS = 60_000;

type Parts = {
  store: Store;
  node: EvmNode;
  assets: readonly Asset[];
  elapsed: Clock;
  log: Log;
  counts: ScanCounts;
  /** The number of later blocks after which a block is final. */
  finalityBlocks: number;
};

type Seen = { row: ScannedTransaction; parentId: string | null };

/** Scans an EVM chain, one block after another. */
export function evmScanner(parts: Parts): ChainScanner {
  const { store, node, elapsed, log, counts, finalityBlocks } = parts;
  const { caip2 } = node;
  const assets = assetsOf(parts.assets);
  const tokens = [...assets.tokens.keys()] as Hex[];
  const latestBlock = recentAnswer(elapsed, HEAD_MS, async () => {
    const { value } = await node.block('latest');
    if (value === undefined) throw new Error('no RPC endpoint has a latest block');
    return { number: Number(value.number), hash: value.hash };
  });
  const unlessStopped = stoppable(parts);
  let toldAt = Number.NEGATIVE_INFINITY;
  let blockMs = POLL.least;
  let lastTimestamp: bigint | undefined;
  let shorterSince: number | undefined;

  /** The chain's history before this block is never scanned. */
  async function begin(held: Held): Promise<void> {
    const block = await latestBlock(true);
    await held.write(async (tx, now) => {
      if ((await tx.scan.place(caip2)) !== undefined) return;
      // Of an earlier scan, whose place the operator removed: nothing knows whether their blocks are in the chain.
      await tx.scannedTransactions.removeAbove(caip2, -1);
      await tx.scan.dropBlocks(caip2, -1);
      await tx.scan.addBlock({ caip2, ...block });
      await tx.scan.putPlace({ caip2, ...block, firstNumber: block.number + 1, updatedAt: now });
    });
    log.info({ network: caip2, number: block.number }, 'the scan of a chain begins after this block');
  }

  /** The rows of a block. */
  async function seenIn(block: EvmScan): Promise<Seen[]> {
    const addresses = addressesIn(block);
    const watched = addresses.length === 0 ? [] : await store.read.watched.ethereum(addresses);
    const concerned = concernedIn(block, watched);
    if (concerned.length === 0) return [];
    const hashes = concerned.map(({ transaction }) => transaction.hash);
    const receipts = await node.receiptsIn(block.hash, hashes, MILLISECONDS);
    return concerned.flatMap((one, i) => {
      const receipt = receipts[i]!;
      // A failed transaction moves nothing. Its sender pays the fee.
      const accounts = one.accounts.filter(({ address }) => receipt.succeeded || address.toLowerCase() === one.transaction.from);
      const rows = rowsOf(one, accounts, { caip2, block, receipt, assets });
      return rows.map(({ row, account }) => ({ row, parentId: account.parentId }));
    });
  }

  /** Writes a block, and finalizes an earlier one. Returns the new place. */
  async function writeBlock(held: Held, place: ScanPlace, block: EvmScan): Promise<ScanPlace> {
    const seen = await seenIn(block);
    const number = Number(block.number);
    const final = number - finalityBlocks;
    const { hash } = block;
    const written = await held.write(async (tx, now) => {
      const current = await tx.scan.place(caip2);
      // The lease was lost for a while, and another process went on.
      if (current?.number !== place.number || current.hash !== place.hash) throw new LeaseLost();
      for (const { row, parentId } of seen) await addSeen(tx, row, parentId, now);
      await tx.scan.addBlock({ caip2, number, hash });
      await tx.scan.pruneBlocks(caip2, final);
      const next = { ...place, number, hash, updatedAt: now };
      await tx.scan.putPlace(next);
      return { next, more: await finalizeUpTo(tx, caip2, final, now) };
    });
    for (let { more } = written; more; ) more = await held.write((tx, now) => finalizeUpTo(tx, caip2, final, now));
    counts.blocks(1);
    if (lastTimestamp !== undefined) blockMs = Number(block.timestamp - lastTimestamp) * 1000;
    lastTimestamp = block.timestamp;
    return written.next;
  }

  async function lagAt({ number }: ScanPlace): Promise<number> {
    const lag = Math.max((await latestBlock()).number - number, 0);
    counts.lag(lag);
    if (lag > LARGE_LAG && elapsed.now() - toldAt >= TELLS_MS) {
      toldAt = elapsed.now();
      log.warn({ network: caip2, lag }, 'the scan of a chain is behind; it goes on, and skips nothing');
    }
    return lag;
  }

  /** Called when there is no next block. The latest one may have replaced the scanned one, or the chain was reset and is shorter. */
  async function lookAtEnd(held: Held, place: ScanPlace): Promise<void> {
    const latest = await latestBlock();
    // The endpoint that gives blocks may be another one, and on the other branch.
    const readable = { number: BigInt(latest.number), isMined: true, tokens: [] };
    if ((await hasReplaced(parts, place, latest)) && (await node.scan(readable, MILLISECONDS))?.hash === latest.hash)
      return goBack(parts, held, place, latest.number);
    if (latest.number >= place.number) {
      shorterSince = undefined;
      return;
    }
    shorterSince ??= elapsed.now();
    if (elapsed.now() - shorterSince >= SHORTER_MS) await lookAtShorter(parts, place, latest.number);
  }

  const pollMs = (): number => Math.min(Math.max(blockMs / POLL.parts, POLL.least), POLL.most);

  async function scan(held: Held, from: ScanPlace): Promise<number> {
    const lag = await lagAt(from);
    const asked = Array.from({ length: Math.min(Math.max(lag, 1), AHEAD) }, (_, i) =>
      node.scan({ number: BigInt(from.number + 1 + i), isMined: i + 1 <= lag - UNSURE, tokens }, MILLISECONDS),
    );
    // An earlier one may fail first.
    for (const each of asked) each.catch(() => {});
    let place = from;
    for (const each of asked) {
      const block = held.isClosed() ? undefined : await each;
      if (block === undefined) {
        await lookAtEnd(held, place);
        return pollMs();
      }
      if (block.parentHash !== place.hash) {
        await goBack(parts, held, place);
        return POLL.least;
      }
      place = await writeBlock(held, place, block);
    }
    counts.stopped(false);
    return 0;
  }

  return {
    caip2,
    async step(held) {
      const place = await store.read.scan.place(caip2);
      if (place !== undefined) return unlessStopped(place, () => scan(held, place));
      await begin(held);
      return 0;
    },
  };
}
