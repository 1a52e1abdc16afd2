import type { Page } from '../../store/types.ts';
import { type Pagination, pageOf } from '../../wire/common.ts';

/** Elements of a list that are read and shown at once: few milliseconds. */
const AT_ONCE = 500;

export type Slice<E> = { elements: readonly E[]; isLast: boolean };

/** An answer whose only member is a list. Each slice is read when the one before it is on its way. */
export type Listing<N extends string, E> = { list: N; slices: AsyncIterator<Slice<E>> };

type Source<N, T, E> = {
  /** The member of the answer. */
  name: N;
  page(page: Page): Promise<T[]>;
  show(rows: readonly T[]): E[] | Promise<E[]>;
  /** The next elements of the whole list, if its order is not that of pages. */
  next?: (last: T | undefined, limit: number) => Promise<T[]>;
  /** Elements in a slice of the whole list: fewer where one may be large. */
  atOnce?: number;
};

async function* slicesOf<T extends { id: string }, E>(
  { page, show, next = (last, limit) => page({ limit, after: last?.id }), atOnce = AT_ONCE }: Source<string, T, E>,
  options: Pagination | undefined,
): AsyncGenerator<Slice<E>> {
  if (options !== undefined) {
    yield { elements: await show(await page(pageOf(options))), isLast: true };
    return;
  }
  for (let last: T | undefined; ; ) {
    const rows = await next(last, atOnce);
    const isLast = rows.length < atOnce;
    yield { elements: await show(rows), isLast };
    if (isLast) return;
    last = rows.at(-1);
  }
}

/** A page of a list; without options all of it. */
export const listing = <N extends string, T extends { id: string }, E>(
  source: Source<N, T, E>,
  options: Pagination | undefined,
): Listing<N, E> => ({ list: source.name, slices: slicesOf(source, options) });
