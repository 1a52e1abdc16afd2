/** The system clock as a value, so that no other code reads the time directly. */
export type Clock = { /** Milliseconds since the epoch. */ now(): number };

export const systemClock: Clock = { now: () => Date.now() };
