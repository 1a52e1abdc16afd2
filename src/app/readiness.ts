/** Balancers and people who ask get an answer within two seconds. */
const LOOK_MS = 1_500;

/**
 * Any client may ask whether the service is ready, and each look writes to the database. So all requests meanwhile share one look.
 * A look that takes too long is refused, and another begins after its end.
 */
export function readiness<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;

  function begin(): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const late = setTimeout(() => reject(new Error(`the database has not answered for ${LOOK_MS} ms`)), LOOK_MS);
    late.unref();
    look()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(late);
        underWay = undefined;
      });
    return promise;
  }

  return () => {
    underWay ??= begin();
    return underWay;
  };
}
