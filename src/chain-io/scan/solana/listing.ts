import type { ScanCursor } from '../../../model/scan.ts';
import type { SolanaNode } from '../../nodes/solana/node.ts';
import { SIGNATURES_PAGE, type SolanaSigned } from '../../nodes/solana/scan.ts';
import type { Cursors, Found } from './cursors.ts';

/** At each check, every account is asked for a page, and most have nothing new. Nodes refuse large answers. */
const FIRST_PAGE = 200;
/** Pages of one address that are asked for in one step. */
const PAGES = 10;
/** Signatures of one address that are kept. Of more, the oldest are read first, and the others are listed again. */
const MOST = 50_000;
/** How long nodes have for a page. */
const MILLISECONDS = 20_000;

/** The new signatures of one account, the newest first: nodes list only towards older ones. */
export type Listing = { account: string; cursor: ScanCursor; kept: SolanaSigned[]; isWhole: boolean };

/** Those newer than a cursor. A node whose chain lacks the cursor's signature gives older ones too. */
function newer(page: readonly SolanaSigned[], { signature, slot }: ScanCursor): SolanaSigned[] {
  const end = page.findIndex((one) => one.slot < slot || one.signature === signature);
  return end === -1 ? [...page] : page.slice(0, end);
}

/** Adds older signatures. Above `most`, the newest ones are dropped. */
export function add(to: Listing, page: readonly SolanaSigned[], limit: number, most: number): void {
  const some = newer(page, to.cursor);
  to.isWhole = page.length < limit || some.length < page.length;
  to.kept.push(...some);
  if (to.kept.length > most) to.kept.splice(0, to.kept.length - most);
}

/** The first page of each account. */
export async function firstPages(node: SolanaNode, cursors: Cursors): Promise<Listing[]> {
  const listings = [...cursors].map(([account, cursor]): Listing => ({ account, cursor, kept: [], isWhole: false }));
  const asked = listings.map(({ account, cursor }) => ({ account, until: cursor.signature, limit: FIRST_PAGE }));
  const pages = asked.length === 0 ? [] : await node.scans.signatures(asked, MILLISECONDS);
  for (const [i, one] of listings.entries()) add(one, pages[i]!, FIRST_PAGE, MOST);
  return listings;
}

/** Lists some more pages. False if there are still more. `meanwhile`: called before each page. */
export async function listMore(node: SolanaNode, all: readonly Listing[], meanwhile: () => Promise<void>): Promise<boolean> {
  const most = Math.ceil(MOST / all.length);
  for (let pages = 0; pages < PAGES; pages++) {
    const next = all.find(({ isWhole }) => !isWhole);
    if (next === undefined) return true;
    await meanwhile();
    const { account, cursor, kept } = next;
    const last = kept.at(-1)!;
    const of = { account, until: cursor.signature, before: last.signature };
    const [page = []] = await node.scans.signatures([of], MILLISECONDS);
    // A node that ignores `before` would be asked forever.
    if (page.some(({ slot }) => slot > last.slot)) throw new Error(`a node lists newer signatures of account ${account} again`);
    add(next, page, SIGNATURES_PAGE, most);
  }
  return all.every(({ isWhole }) => isWhole);
}

/** The signatures of an address and its token accounts, the oldest first, each once. */
export function foundIn(all: readonly Listing[]): Found[] {
  const found = new Map<string, Found>();
  for (const { account, kept } of all)
    for (const one of kept.toReversed()) {
      const known = found.get(one.signature);
      if (known === undefined) found.set(one.signature, { ...one, accounts: [account] });
      else known.accounts.push(account);
    }
  return [...found.values()].sort((a, b) => a.slot - b.slot);
}

/**
 * Takes the first ones, and all of the last one's slot. Accounts list the transactions of one slot in different orders, so a cursor
 * inside a slot could skip one.
 */
export function takeBatch(found: Found[], most: number): Found[] {
  let end = Math.min(most, found.length);
  while (end < found.length && found[end]!.slot === found[end - 1]!.slot) end++;
  return found.splice(0, end);
}
