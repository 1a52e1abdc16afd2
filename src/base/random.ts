import { randomBytes } from 'node:crypto';

/** Cryptographic randomness as a value: `random(n)` returns n fresh bytes. */
export type Random = (n: number) => Buffer;

export const systemRandom: Random = (n) => randomBytes(n);
