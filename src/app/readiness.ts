/** Anybody may ask whether the service is ready, and each look writes to the database: all who ask meanwhile share one look. */
export function readiness<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= look().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
