import assert from 'node:assert/strict';
import type { Answer, Client } from '../support/client.ts';
import { NOBODY } from '../support/refusals.ts';

export function missing(answer: Answer, text: RegExp): void {
  assert.equal(answer.status, 404, answer.text);
  assert.equal(answer.body.code, 5);
  assert.match(answer.body.message, text);
  assert.equal(answer.body.details[0].turnkeyErrorCode, 'UNSPECIFIED');
}

/** The answers for an id of another organization and for an unknown id differ only in that id. */
export async function hidesOthers(client: Client, query: string, field: string, foreign: string, text: RegExp): Promise<void> {
  const unknown = await client.query(query, { [field]: NOBODY });
  const theirs = await client.query(query, { [field]: foreign });
  missing(unknown, text);
  missing(theirs, text);
  assert.equal(theirs.text.replaceAll(foreign, NOBODY), unknown.text);
}

const limits = ['0', '101', '-1', '1.5', '01', '', 'ten', ' 1', '1e2'];

export const badPagination: [object, string, RegExp][] = [
  ...limits.map(
    (limit) => [{ paginationOptions: { limit } }, 'paginationOptions.limit', /from 1 to 100/] as [object, string, RegExp],
  ),
  [{ paginationOptions: { limit: 5 } }, 'paginationOptions.limit', /string/],
  [{ paginationOptions: { after: 'x' } }, 'paginationOptions.after', /must be a UUID/],
  [{ paginationOptions: { before: 'x' } }, 'paginationOptions.before', /must be a UUID/],
  [{ paginationOptions: [] }, 'paginationOptions', /object/],
];

/**
 * Pages through a list in both directions with every page size and compares with the whole of it.
 * `all`: the ids in the order in which the list gives them.
 */
export async function pages(
  all: readonly string[],
  page: (options: { limit: string; before?: string; after?: string }) => Promise<string[]>,
): Promise<void> {
  for (const limit of [1, 2, 3, all.length - 1, all.length, all.length + 1, 100]) {
    const forward: string[] = [];
    for (;;) {
      const after = forward.at(-1);
      const next = await page({ limit: String(limit), ...(after ? { after } : {}) });
      assert.ok(next.length <= limit);
      if (next.length === 0) break;
      forward.push(...next);
    }
    assert.deepEqual(forward, all, `after, ${limit} at a time`);
    const backward: string[] = [];
    for (;;) {
      const previous = await page({ limit: String(limit), before: backward[0] ?? all.at(-1)! });
      if (previous.length === 0) break;
      backward.unshift(...previous);
    }
    assert.deepEqual(backward, all.slice(0, -1), `before, ${limit} at a time`);
  }
  const between = await page({ limit: '100', after: all[0]!, before: all.at(-1)! });
  assert.deepEqual(between, all.slice(1, -1), 'between two ids');
  // A page begins at its own edge, and an id that the list does not have is an edge too.
  assert.deepEqual(await page({ limit: '2', before: all[3]! }), all.slice(1, 3));
  assert.deepEqual(await page({ limit: '2', after: all[3]! }), all.slice(4, 6));
}
