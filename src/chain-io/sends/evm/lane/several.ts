/** Questions that are asked together, in one request where the endpoint takes that. */
const AT_ONCE = 64;

/** Carries out `work` for each item, several together, begun in order. */
export async function several<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(all.length);
  let at = 0;
  const run = async () => {
    while (at < all.length) {
      const i = at++;
      results[i] = await work(all[i]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, run));
  return results;
}
