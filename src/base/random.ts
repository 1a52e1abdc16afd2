import { randomBytes } from 'node:crypto';

/** Cryptographic randomness as a value: `random(n)` returns n fresh bytes. */
export type Random = (n: number) => Buffer;

/** Of ids and nonces. A call of OpenSSL takes 4 µs, and a request needs some five. Keys are longer, and are never drawn ahead. */
const SHORT = 16;
const AHEAD = 4096;

function readingAhead(): Random {
  let drawn = Buffer.alloc(0);
  return (n) => {
    if (n > SHORT) return randomBytes(n);
    if (n > drawn.length) drawn = randomBytes(AHEAD);
    const bytes = drawn.subarray(0, n);
    drawn = drawn.subarray(n);
    return bytes;
  };
}

export const systemRandom: Random = readingAhead();
