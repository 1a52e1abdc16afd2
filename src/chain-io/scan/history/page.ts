import { blockOfPlace, type ScannedTransaction } from '../../../model/scan.ts';
import type { Send } from '../../../model/send.ts';
import type { Page, Reader } from '../../../store/types.ts';

/** `send`: the transaction is the organization's own. */
export type HistoryItem = { row: ScannedTransaction; send: Send | undefined };

/** Newest first. The cursors are places. */
export type HistoryPage = {
  items: HistoryItem[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor?: string; endCursor?: string };
};

/** The history of one address. */
export type HistoryOf = {
  organizationId: string;
  caip2: string;
  /** As the account has it. */
  address: string;
  /** As sends have it. */
  fromAddress: string;
  placeOf(send: Send): string;
  /** Asks nodes for own sends that were not scanned. Those that are in no block are left out. */
  look(sends: readonly Send[]): Promise<ScannedTransaction[]>;
};

type Placed = { place: string; row: ScannedTransaction | undefined; send: Send | undefined };

const SENDS_AT_ONCE = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LAST_BLOCK = Number.MAX_SAFE_INTEGER - 1;

/** Only `before`: the page is read towards newer ones. */
const isOlder = ({ after, before }: Page): boolean => before === undefined || after !== undefined;

const newestFirst = (a: { place: string }, b: { place: string }): number => (a.place > b.place ? -1 : 1);

/** The own sends of a page that blocks have. A block's sends are in the order of places, so blocks are read completely. */
async function minedSends(read: Reader, of: HistoryOf, page: Page): Promise<Placed[]> {
  const { after, before, limit } = page;
  const older = isOlder(page);
  const from = older ? after : before;
  const block = from === undefined ? LAST_BLOCK : Math.min(blockOfPlace(from), LAST_BLOCK);
  let edge = older ? { block, id: LAST_ID } : { block, id: FIRST_ID };
  const found: Placed[] = [];
  for (;;) {
    const some = await read.sends.mined(of, edge, older, SENDS_AT_ONCE);
    for (const send of some) {
      const place = of.placeOf(send);
      if ((after === undefined || place < after) && (before === undefined || place > before))
        found.push({ place, row: undefined, send });
    }
    const last = some.at(-1);
    const whole = found.filter(({ send }) => send!.blockNumber !== last?.blockNumber);
    if (some.length < SENDS_AT_ONCE || whole.length >= limit) {
      found.sort(newestFirst);
      return older ? found.slice(0, limit) : found.slice(-limit);
    }
    edge = { block: last!.blockNumber!, id: last!.id };
  }
}

/** Of a transaction that is scanned and an own send, the row counts. */
function merged(rows: readonly ScannedTransaction[], sends: readonly Placed[]): Placed[] {
  const byHash = new Map(sends.map((placed) => [placed.send!.hash, placed]));
  const all: Placed[] = rows.map((row) => ({ place: row.place, row, send: byHash.get(row.transactionHash)?.send }));
  const scanned = new Set(rows.map(({ transactionHash }) => transactionHash));
  return [...all, ...sends.filter(({ send }) => !scanned.has(send!.hash))].sort(newestFirst);
}

/** The organization's send with this transaction, of any of its addresses. */
async function sendWith(read: Reader, organizationId: string, hash: string): Promise<Send | undefined> {
  const [attempt] = await read.sendAttempts.byHash(organizationId, hash, 1);
  return attempt && read.sends.get(organizationId, attempt.sendId);
}

async function filled(read: Reader, of: HistoryOf, placed: readonly Placed[]): Promise<HistoryItem[]> {
  const unscanned = placed.flatMap(({ row, send }) => (row === undefined ? [send!] : []));
  const rows = new Map((unscanned.length === 0 ? [] : await of.look(unscanned)).map((row) => [row.transactionHash, row]));
  const items = placed.map(async ({ row, send }): Promise<HistoryItem[]> => {
    const found = row ?? rows.get(send!.hash);
    if (found === undefined) return [];
    return [{ row: found, send: send ?? (await sendWith(read, of.organizationId, found.transactionHash)) }];
  });
  return (await Promise.all(items)).flat();
}

/** A page of scanned transactions, merged with own sends that were not scanned. */
export async function historyPage(read: Reader, of: HistoryOf, page: Page): Promise<HistoryPage> {
  const { limit, after } = page;
  const oneMore = { ...page, limit: limit + 1 };
  const [rows, sends] = await Promise.all([read.scannedTransactions.page(of, oneMore), minedSends(read, of, oneMore)]);
  const all = merged(rows, sends);
  const older = isOlder(page);
  const shown = older ? all.slice(0, limit) : all.slice(-limit);
  const more = all.length > limit;
  return {
    items: await filled(read, of, shown),
    pageInfo: {
      hasNextPage: older ? more : true,
      hasPreviousPage: older ? after !== undefined : more,
      ...(shown.length > 0 && { startCursor: shown[0]!.place, endCursor: shown.at(-1)!.place }),
    },
  };
}
