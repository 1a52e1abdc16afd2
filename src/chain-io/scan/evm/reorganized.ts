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

/** The last scanned block that is still in the chain. */
async function commonBlock(parts: Parts, place: ScanPlace): Promise<{ number: number; hash: string }> {
  const kept = await parts.store.read.scan.blocks(place.caip2, parts.finalityBlocks + 1);
  for (const { number, hash } of kept) if ((await hashAt(parts, number)) === hash) return { number, hash };
  const first = place.firstNumber - 1;
  // Nothing before this block was scanned, and nothing after it is final.
  if (kept.at(-1)?.number === first) return { number: first, hash: await hashAt(parts, first) };
  // Events said that some of the others are final.
  throw new ScanStopped(`none of the last ${kept.length} scanned blocks is in the chain`);
}

/** For a chain that ends before the place. Throws ScanStopped unless it has a scanned block that may still fall out. */
export async function lookAtShorter(parts: Parts, place: ScanPlace, latest: number): Promise<void> {
  const kept = await parts.store.read.scan.blocks(place.caip2, parts.finalityBlocks + 1);
  for (const { number, hash } of kept) if (number <= latest && (await hashAt(parts, number)) === hash) return;
  throw new ScanStopped(`the latest block is ${latest}, although ${place.number} was there: the chain was reset, or nodes lag`);
}

/** Moves the place back to a block that is still in the chain. The rows above it are dropped. */
export async function goBack(parts: Parts, held: Held, place: ScanPlace): Promise<void> {
  const { caip2 } = place;
  const common = await commonBlock(parts, place);
  const lost = place.number - common.number;
  // Endpoints are on different branches for a moment.
  if (lost === 0 && common.hash === place.hash) return;
  await held.write(async (tx, now) => {
    await tx.scannedTransactions.removeAbove(caip2, common.number);
    await tx.scan.dropBlocks(caip2, common.number - 1);
    await tx.scan.addBlock({ caip2, ...common });
    await tx.scan.putPlace({ ...place, ...common, updatedAt: now });
  });
  parts.counts.reorganized(lost);
  parts.log.info({ network: caip2, blocks: lost, number: common.number }, 'scanned blocks fell out of the chain');
}
