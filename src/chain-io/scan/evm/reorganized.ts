import type { Log } from '../../../engine/ports.ts';
import type { ScanPlace } from '../../../model/scan.ts';
import type { Store } from '../../../store/types.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import { ScanStopped } from '../stopped.ts';
import type { Held, ScanCounts } from '../types.ts';

type Parts = { store: Store; node: EvmNode; log: Log; counts: ScanCounts; finalityBlocks: number };

async function hashAt({ node }: Parts, number: number): Promise<string> {
  const { value } = await node.block(BigInt(number));
  // A shorter chain of another endpoint says nothing about this block.
  if (value === undefined) throw new Error(`no RPC endpoint has block ${number}, although a later one was there`);
  return value.hash;
}

type Place = { number: number; hash: string };

/** Scanned blocks that may still fall out, the newest first. */
const keptBlocks = ({ store, finalityBlocks }: Parts, { caip2 }: ScanPlace): Promise<Place[]> =>
  store.read.scan.blocks(caip2, finalityBlocks + 1);

/** The last scanned block that is still in the chain, whose latest block has this number. */
async function commonBlock(parts: Parts, place: ScanPlace, latest: number): Promise<Place & { isScanned: boolean }> {
  const all = await keptBlocks(parts, place);
  const kept = all.filter(({ number }) => number <= latest);
  for (const { number, hash } of kept) if ((await hashAt(parts, number)) === hash) return { number, hash, isScanned: true };
  const first = place.firstNumber - 1;
  // Nothing before this block was scanned, and nothing after it is final.
  if (all.at(-1)?.number === first) return { number: first, hash: await hashAt(parts, first), isScanned: false };
  // Events said that some of the others are final.
  throw new ScanStopped(`none of the last ${all.length} scanned blocks is in the chain`);
}

/** For a chain that ends before the place. Throws ScanStopped unless it has a scanned block that may still fall out. */
export async function lookAtShorter(parts: Parts, place: ScanPlace, latest: number): Promise<void> {
  for (const { number, hash } of await keptBlocks(parts, place))
    if (number <= latest && (await hashAt(parts, number)) === hash) return;
  throw new ScanStopped(`the latest block is ${latest}, although ${place.number} was there: the chain was reset, or nodes lag`);
}

/** True if a scanned block has the number of the latest one, and another hash. The chain was reorganized, and is no longer. */
export async function hasReplaced(parts: Parts, place: ScanPlace, latest: Place): Promise<boolean> {
  if (latest.number > place.number) return false;
  const scanned =
    latest.number === place.number ? place : (await keptBlocks(parts, place)).find((one) => one.number === latest.number);
  return scanned !== undefined && scanned.hash !== latest.hash;
}

/** Moves the place back to a block that is still in the chain, which ends at `latest`. The rows above it are dropped. */
export async function goBack(parts: Parts, held: Held, place: ScanPlace, latest = place.number): Promise<void> {
  const { caip2 } = place;
  const { isScanned, ...common } = await commonBlock(parts, place, latest);
  const lost = place.number - common.number;
  // Endpoints are on different branches for a moment.
  if (isScanned && common.number === latest && (lost > 0 || common.hash === place.hash)) return;
  await held.write(async (tx, now) => {
    await tx.scannedTransactions.removeAbove(caip2, common.number);
    await tx.scan.dropBlocks(caip2, common.number - 1);
    await tx.scan.addBlock({ caip2, ...common });
    await tx.scan.putPlace({ ...place, ...common, updatedAt: now });
  });
  parts.counts.reorganized(lost);
  parts.log.info({ network: caip2, blocks: lost, number: common.number }, 'scanned blocks fell out of the chain');
}
