import type { ScanAddress, ScanCursor } from '../../../model/scan.ts';
import type { SolanaSigned } from '../../nodes/solana/scan.ts';

/** An address and its token accounts, each with its cursor. */
export type Cursors = ReadonlyMap<string, ScanCursor>;

/** A signature, and those of the accounts that it names. */
export type Found = SolanaSigned & { accounts: string[] };

export const cursorsOf = ({ address, lastSignature, lastSlot, tokens }: ScanAddress): Cursors =>
  new Map([[address, { signature: lastSignature, slot: lastSlot }], ...Object.entries(tokens)]);

export function withCursors(row: ScanAddress, cursors: Cursors, checkedAt: number): ScanAddress {
  const { [row.address]: own, ...tokens } = Object.fromEntries(cursors);
  return { ...row, lastSignature: own!.signature, lastSlot: own!.slot, tokens, checkedAt };
}

/** The cursors after some signatures. A node that lags moves none back. */
export function moved(cursors: Cursors, found: readonly Found[]): Cursors {
  const next = new Map(cursors);
  for (const { accounts, signature, slot } of found)
    for (const account of accounts) if (slot >= next.get(account)!.slot) next.set(account, { signature, slot });
  return next;
}

/** Slots that a fork may have had. */
const FORK_SLOTS = 150;

/** Where reading begins again: a fork replaced later slots, or an endpoint that lags did not have them. */
export const startOf = (slot: number): number => Math.max(slot - FORK_SLOTS, 0);

/** The cursors from which all is read again that a fork may have replaced from a slot on. Rows that exist stay as they are. */
export function movedBack(cursors: Cursors, slot: number): Cursors {
  return new Map(
    [...cursors].map(([account, cursor]) => [account, { signature: '', slot: Math.min(cursor.slot, startOf(slot)) }]),
  );
}
