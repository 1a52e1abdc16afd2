/** The system clock as a value, so that nothing below reads time by itself. */
export type Clock = { /** Milliseconds since the epoch. */ now(): number };

export const systemClock: Clock = { now: () => Date.now() };
