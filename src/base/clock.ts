/** A clock as a value, so that no other code reads the time directly. In milliseconds. */
export type Clock = { now(): number };

/** The machine's clock. It can be wrong, and can be set while the service runs. */
export const systemClock: Clock = { now: () => Date.now() };

/** Elapsed time since an arbitrary start. It cannot be set. */
export const elapsedTime: Clock = { now: () => performance.now() };
