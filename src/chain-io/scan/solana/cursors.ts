import type { ScanAddress, ScanCursor } from '../../../model/scan.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import { SIGNATURES_PAGE, type SolanaSigned } from '../../nodes/solana/scan.ts';

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

/** The cursors from which all is read again that a fork may have replaced from a slot on. Rows that exist stay as they are. */
export function movedBack(cursors: Cursors, slot: number): Cursors {
  return new Map(
    [...cursors].map(([account, cursor]) => [
      account,
      { signature: '', slot: Math.min(cursor.slot, Math.max(slot - FORK_SLOTS, 0)) },
    ]),
  );
}

/** More pages of one account are never read: a node may repeat itself forever. */
const PAGES = 500;
/** How long nodes have for a page. */
const MILLISECONDS = 20_000;

/** Those newer than a cursor. A node whose chain lacks the cursor's signature gives older ones too. */
function newer(page: readonly SolanaSigned[], { signature, slot }: ScanCursor): SolanaSigned[] {
  const end = page.findIndex((one) => one.slot < slot || one.signature === signature);
  return end === -1 ? [...page] : page.slice(0, end);
}

type Rest = { account: string; cursor: ScanCursor; first: readonly SolanaSigned[] };

/** All signatures of an account that are newer than its cursor, the newest first. `meanwhile`: called between two pages. */
async function allNewer(node: SolanaNode, { account, cursor, first }: Rest, meanwhile: () => Promise<void>) {
  const found = newer(first, cursor);
  let page = first;
  for (let pages = 1; page.length === SIGNATURES_PAGE && found.length === pages * SIGNATURES_PAGE; pages++) {
    if (pages === PAGES) throw new Error(`account ${account} has more than ${PAGES * SIGNATURES_PAGE} new signatures`);
    await meanwhile();
    const of = { account, until: cursor.signature, before: page.at(-1)!.signature };
    [page = []] = await node.scans.signatures([of], MILLISECONDS);
    found.push(...newer(page, cursor));
  }
  return found;
}

/** The first page of each account of some addresses. */
export async function firstPages(node: SolanaNode, all: readonly Cursors[]): Promise<Map<string, SolanaSigned[]>> {
  const asked = all.flatMap((cursors) => [...cursors].map(([account, { signature }]) => ({ account, until: signature })));
  const pages = await node.scans.signatures(asked, MILLISECONDS);
  return new Map(asked.map(({ account }, i) => [account, pages[i]!]));
}

/** The new signatures of an address and its token accounts, the oldest first, each once. */
export async function newSignatures(
  node: SolanaNode,
  cursors: Cursors,
  first: ReadonlyMap<string, readonly SolanaSigned[]>,
  meanwhile: () => Promise<void>,
): Promise<Found[]> {
  const found = new Map<string, Found>();
  for (const [account, cursor] of cursors) {
    const signed = await allNewer(node, { account, cursor, first: first.get(account)! }, meanwhile);
    for (const one of signed.reverse()) {
      const known = found.get(one.signature);
      if (known === undefined) found.set(one.signature, { ...one, accounts: [account] });
      else known.accounts.push(account);
    }
  }
  return [...found.values()].sort((a, b) => a.slot - b.slot);
}
