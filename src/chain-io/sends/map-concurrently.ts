/** Questions that are asked together, in one request where the endpoint takes that. */
const AT_ONCE = 64;

/** Maps all items, at most `AT_ONCE` of them at a time. They begin in order. */
export async function mapConcurrently<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let at = 0;
  const run = async () => {
    while (at < items.length) {
      const i = at++;
      results[i] = await map(items[i]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, run));
  return results;
}
