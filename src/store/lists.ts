/** Numbers of values in one list. A statement is prepared for each. */
const FEW = 10;
const AT_ONCE = 100;

/**
 * Looks up any number of values, in lists of one of two lengths. The last list is padded with its first value. For `in`: a duplicate in
 * the list adds no rows.
 */
export async function inLists<T, R>(values: readonly T[], find: (list: readonly T[]) => Promise<R[]>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < values.length; at += AT_ONCE) {
    const some = values.slice(at, at + AT_ONCE);
    const length = some.length <= FEW ? FEW : AT_ONCE;
    const filled = [...some, ...new Array<T>(length - some.length).fill(some[0]!)];
    for (const row of await find(filled)) found.push(row);
  }
  return found;
}
