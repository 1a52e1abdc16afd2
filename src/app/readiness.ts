/** Anybody may ask whether the service is ready, and each look writes to the database: all who ask meanwhile share one look. */
export function readiness(look: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= look().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
