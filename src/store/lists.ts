/** Values in a list of `inLists`. */
const AT_ONCE = 100;

/**
 * Splits values into lists of one length, the last filled up with its first value, so that any number of values takes one statement.
 * For `in`, where a value that is there twice finds nothing twice.
 */
export function inLists<T>(values: readonly T[]): T[][] {
  const lists: T[][] = [];
  for (let at = 0; at < values.length; at += AT_ONCE) {
    const some = values.slice(at, at + AT_ONCE);
    lists.push([...some, ...new Array<T>(AT_ONCE - some.length).fill(some[0]!)]);
  }
  return lists;
}
