import { mostOut } from '../attempts/spending.ts';
import { BATCH, type Costs } from '../parts.ts';
import { current, evmRow, resumeMessage } from '../rows.ts';
import { transition } from '../states.ts';
import { isInChain } from './final.ts';
import { include, type Receipts } from './included.ts';
import { type LookedUp, lookUpAll } from './look-up.ts';
import { type Settling, writeReceipts } from './write.ts';

/** The send is pending again. */
async function fallOut(
  costs: Pick<Costs, 'settings'>,
  { tx, row, now, costs: spent }: Settling,
  { send, attempts }: LookedUp,
): Promise<void> {
  const pending = { blockNumber: null, blockHash: '', error: null, dueAt: now };
  const out = await transition(tx, send, 'reorganized', pending, now);
  // Another of its attempts may land now, and cost more than the one that was settled.
  spent.push({ send: out, units: mostOut(costs, out, current(out, attempts)), isOver: false });
  await resumeMessage(tx, send, row);
}

/**
 * Sends whose block was reorganized away are pending again, or in another block. The last ones come first: blocks fall out from the
 * end.
 */
export async function findReorganized(receipts: Receipts, latest: number): Promise<boolean> {
  const { read, key } = receipts;
  let happened = false;
  for (;;) {
    const [first] = (await read.sendsOfAccount.lastByNonce(key, 'included', 1)).map(evmRow);
    if (first === undefined || (first.nonce! < latest && (await isInChain(receipts, first)) !== false)) return happened;
    const last = (await read.sendsOfAccount.lastByNonce(key, 'included', BATCH)).map(evmRow);
    const all = await lookUpAll(receipts, last);
    const moved = all.filter(({ send, mined }) => mined.is !== 'ours' || mined.receipt.blockHash !== send.blockHash);
    if (moved.length === 0) return happened;
    happened = await writeReceipts(receipts, moved, async (settling, one) => {
      if (one.mined.is === 'ours' && one.mined.attempt.purpose === 'send') return include(settling, one, one.mined);
      await fallOut(receipts, settling, one);
    });
    if (!happened || moved.length < last.length) return happened;
  }
}
