import type { ScannedTransaction } from '../../../model/scan.ts';
import type { SolanaStatus } from '../../nodes/solana/values.ts';
import type { LookUp } from '../../nodes/types.ts';
import { finalizeAll } from '../balance-events.ts';
import type { Held } from '../types.ts';
import { cursorsOf, movedBack, withCursors } from './cursors.ts';
import type { Parts } from './parts.ts';

/** A node takes no more in one question. */
const AT_ONCE = 256;
const SETTLE_MS = 1000;
/** Finalized slots after which a transaction that no endpoint knows fell out. */
const GONE_SLOTS = 32;

/** The first slot that each endpoint keeps. */
type FirstSlots = (fresh?: boolean) => Promise<readonly number[]>;

type Found = { row: ScannedTransaction; status: LookUp<SolanaStatus> };

/** Undefined: it is not known yet. Every endpoint must lack a transaction that fell out: one may lag, or lack its history. */
function isFinal({ row: { blockNumber }, status: { value, answered, endpoints } }: Found, least: number) {
  if (value !== undefined) return value.commitment === 'finalized' ? Number(value.slot) === blockNumber : undefined;
  return answered === endpoints && least >= blockNumber + GONE_SLOTS ? false : undefined;
}

/** Whether every endpoint keeps the slot. One that removed it knows none of its transactions. */
const isKept = ({ row: { blockNumber }, status: { endpoints } }: Found, firsts: readonly number[]): boolean =>
  firsts.length === endpoints && Math.max(...firsts) <= blockNumber;

type Settled = { final: ScannedTransaction[]; gone: ScannedTransaction[] };

const rowsOf = (found: readonly Found[] = []): ScannedTransaction[] => found.map(({ row }) => row);

async function settledOf({ store, node }: Parts, firstSlots: FirstSlots): Promise<Settled> {
  const { caip2 } = node;
  // No endpoint knows earlier ones. They stay as they are.
  const from = Math.min(...(await firstSlots()));
  const all = { from, upTo: Number.MAX_SAFE_INTEGER };
  if ((await store.read.scan.notFinal(caip2, all, 1)).length === 0) return { final: [], gone: [] };
  const { least, most } = await node.scans.finalizedSlots();
  const rows = await store.read.scan.notFinal(caip2, { from, upTo: most }, AT_ONCE);
  const signatures = [...new Set(rows.map(({ transactionHash }) => transactionHash))];
  const found = signatures.length === 0 ? [] : await node.statuses(signatures, { history: true });
  const statuses = new Map(signatures.map((signature, i) => [signature, found[i]!]));
  const looked = rows.map((row) => ({ row, status: statuses.get(row.transactionHash)! }));
  const by = Map.groupBy(looked, (one) => isFinal(one, least));
  const lost = by.get(false) ?? [];
  // Asked last, as old slots are removed meanwhile.
  const firsts = lost.length === 0 ? [] : await firstSlots(true);
  return { final: rowsOf(by.get(true)), gone: rowsOf(lost.filter((one) => isKept(one, firsts))) };
}

/** Finalizes transactions, and drops those that fell out with a fork. Calls `forget` for these. */
export function settling(
  parts: Parts,
  firstSlots: FirstSlots,
  forget: (gone: ScannedTransaction) => void,
): (held: Held) => Promise<void> {
  const { node, elapsed, counts } = parts;
  const { caip2 } = node;
  let settleAt = Number.NEGATIVE_INFINITY;
  return async (held) => {
    if (elapsed.now() < settleAt) return;
    settleAt = elapsed.now() + SETTLE_MS;
    const { final, gone } = await settledOf(parts, firstSlots);
    if (final.length + gone.length === 0) return;
    await held.write(async (tx, now) => {
      await finalizeAll(tx, final, now);
      for (const one of gone) {
        await tx.scannedTransactions.remove(one);
        const row = await tx.scan.address(caip2, one.address);
        if (row === undefined) continue;
        await tx.scan.putAddress(withCursors(row, movedBack(cursorsOf(row), one.blockNumber), row.checkedAt));
      }
    });
    gone.forEach(forget);
    if (gone.length > 0) counts.reorganized(new Set(gone.map(({ blockNumber }) => blockNumber)).size);
  };
}
