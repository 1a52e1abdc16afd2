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

/** Undefined: it is not known yet. Every endpoint must lack a transaction that fell out: one may lag, or lack its history. */
function isFinal({ blockNumber }: ScannedTransaction, { value, answered, endpoints }: LookUp<SolanaStatus>, least: number) {
  if (value !== undefined) return value.commitment === 'finalized' ? Number(value.slot) === blockNumber : undefined;
  return answered === endpoints && least >= blockNumber + GONE_SLOTS ? false : undefined;
}

type Settled = { final: ScannedTransaction[]; gone: ScannedTransaction[] };

async function settledOf({ store, node }: Parts): Promise<Settled> {
  const { caip2 } = node;
  if ((await store.read.scan.notFinal(caip2, Number.MAX_SAFE_INTEGER, 1)).length === 0) return { final: [], gone: [] };
  const { least, most } = await node.scans.finalizedSlots();
  const rows = await store.read.scan.notFinal(caip2, most, AT_ONCE);
  const signatures = [...new Set(rows.map(({ transactionHash }) => transactionHash))];
  const found = signatures.length === 0 ? [] : await node.statuses(signatures, { history: true });
  const statuses = new Map(signatures.map((signature, i) => [signature, found[i]!]));
  const by = Map.groupBy(rows, (row) => isFinal(row, statuses.get(row.transactionHash)!, least));
  return { final: by.get(true) ?? [], gone: by.get(false) ?? [] };
}

/** Finalizes transactions, and drops those that fell out with a fork. Calls `forget` for these. */
export function settling(parts: Parts, forget: (gone: ScannedTransaction) => void): (held: Held) => Promise<void> {
  const { node, elapsed, counts } = parts;
  const { caip2 } = node;
  let settleAt = Number.NEGATIVE_INFINITY;
  return async (held) => {
    if (elapsed.now() < settleAt) return;
    settleAt = elapsed.now() + SETTLE_MS;
    const { final, gone } = await settledOf(parts);
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
