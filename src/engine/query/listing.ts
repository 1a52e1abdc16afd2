import type { Page } from '../../store/types.ts';
import { type Pagination, pageOf } from '../../wire/common.ts';

/**
 * The first slice has at most the rows of a page, and costs as much as a page. It is the whole of most answers. Later slices
 * wait for slow clients, and are small. A thousand connections have room for 64 KB each (`unreadBytes` in
 * src/http/connections.ts).
 */
export const FIRST = { rows: 100, characters: 256 * 1024 };
export const LATER = { rows: 500, characters: 64 * 1024 };
/** The aim for a later slice. Its number of rows is estimated from the elements of the slice before it. */
const WANTED = LATER.characters / 2;

/** Greater than every id in use. */
const BEHIND_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Elements as JSON, with commas between them. */
export type Slice = { text: string; isLast: boolean };

/** An answer with one list. Each slice is read once the one before it was sent off. `fields`: its other members. */
export type Listing<N extends string, E> = {
  fields?: object;
  list: N;
  slice(): Promise<Slice>;
  /** Used only for types. */
  element?: E;
};

/**
 * An answer whose only member is an object with several lists, which are read one after the other. `fields`: its other members.
 */
export type Listings<N extends string> = { member: N; fields: object; lists: readonly Listing<string, unknown>[] };

/** How a whole list is read. `C`: the part of a row that gives its position. */
export type Order<T, C> = {
  at(row: T): C;
  read(after: C | undefined, limit: number): Promise<T[]>;
  last(): Promise<T | undefined>;
  isBehind(row: C, end: C): boolean;
};

export type Source<N, T, E, C> = {
  /** The list's name in the answer. */
  name: N;
  page(page: Page): Promise<T[]>;
  show(rows: readonly T[]): readonly E[] | Promise<readonly E[]>;
  /** The order of the whole list, if it is not that of pages. */
  order?: Order<T, C>;
  /** Rows of the first read, if one may be large. */
  rows?: number;
};

type Show<T> = (rows: readonly T[]) => readonly unknown[] | Promise<readonly unknown[]>;

/** `count`: how many of the rows are in the text. */
type Read<T> = { rows: readonly T[]; count: number; text: string };

/**
 * Shows as many of the rows as a slice has room for, but at least one, if there is any. Tells `read` how many rows it may want.
 */
function reader<T>(
  show: Show<T>,
  rowsAtFirst: number,
  charactersAtFirst = FIRST.characters,
): (read: (most: number) => Promise<readonly T[]>) => Promise<Read<T>> {
  let [most, characters] = [rowsAtFirst, charactersAtFirst];
  return async (read) => {
    const rows = await read(most);
    const texts: string[] = [];
    let length = 0;
    for (const element of await show(rows)) {
      const text = JSON.stringify(element);
      length += text.length + 1;
      if (length > characters && texts.length > 0) break;
      texts.push(text);
    }
    const count = texts.length;
    const text = texts.join(',');
    if (count > 0) most = Math.min(LATER.rows, Math.max(1, Math.floor((WANTED * count) / text.length)));
    characters = LATER.characters;
    return { rows, count, text };
  };
}

const byId = <T extends { id: string }>(page: (page: Page) => Promise<T[]>): Order<T, string> => ({
  at: ({ id }) => id,
  read: (after, limit) => page({ limit, after }),
  last: async () => (await page({ limit: 1, before: BEHIND_ALL }))[0],
  isBehind: (id, end) => id > end,
});

/** The list ends at the row that was last when the answer began. A list that grows while it is read might have no end. */
function whole<T, C>({ at, read, last, isBehind }: Order<T, C>, take: ReturnType<typeof reader<T>>): () => Promise<Slice> {
  let [after, end]: (C | undefined)[] = [];
  return async () => {
    let isLast = false;
    const { rows, count, text } = await take(async (most) => {
      const some = await read(after, most);
      isLast = some.length < most;
      if (!isLast && end === undefined) {
        const row = await last();
        end = row && at(row);
      }
      const beyond = end === undefined ? -1 : some.findIndex((row) => isBehind(at(row), end!));
      if (beyond < 0) return some;
      isLast = true;
      return some.slice(0, beyond);
    });
    if (count > 0) after = at(rows[count - 1]!);
    return { text, isLast: isLast && count === rows.length };
  };
}

/** One slice, unless its elements are large. */
function paged<T extends { id: string }>(
  page: (page: Page) => Promise<T[]>,
  options: Pagination,
  take: ReturnType<typeof reader<T>>,
): () => Promise<Slice> {
  let { limit: left, before, after } = pageOf(options);
  return async () => {
    const { rows, count, text } = await take(async (most) => {
      // The start of a page that goes back is known once it was read.
      const limit = before !== undefined && after === undefined ? left : Math.min(left, most);
      const some = await page({ limit, before, after });
      if (some.length < limit) left = some.length;
      return some;
    });
    left -= count;
    after = rows[count - 1]?.id;
    return { text, isLast: left === 0 };
  };
}

/** A page of a list; without options all of it. */
export function listing<N extends string, T extends { id: string }, E, C = string>(
  { name, page, show, order, rows = FIRST.rows }: Source<N, T, E, C>,
  options: Pagination | undefined,
): Listing<N, E> {
  const take = reader<T>(show, rows);
  if (options !== undefined) return { list: name, slice: paged(page, options, take) };
  return { list: name, slice: order === undefined ? whole(byId(page), take) : whole(order, take) };
}

/** A whole list among several of one answer. All its slices are small, because a client may read slowly before each. */
export function among<N extends string, T extends { id: string }, E>({
  name,
  page,
  show,
  rows = FIRST.rows,
}: Source<N, T, E, string>): Listing<N, E> {
  return { list: name, slice: whole(byId(page), reader<T>(show, rows, LATER.characters)) };
}
