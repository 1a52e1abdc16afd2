/** Values in one list. */
const AT_ONCE = 100;

/**
 * Looks up any number of values with one statement, in lists of one length: the last is filled up with its first value. For `in`,
 * where a value that is there twice finds nothing twice.
 */
export async function inLists<T, R>(values: readonly T[], find: (list: readonly T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < values.length; at += AT_ONCE) {
    const some = values.slice(at, at + AT_ONCE);
    const filled = [...some, ...new Array<T>(AT_ONCE - some.length).fill(some[0]!)];
    for (const row of await find(filled)) found.push(row);
  }
  return found;
}
