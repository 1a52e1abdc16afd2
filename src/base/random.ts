import { randomBytes } from 'node:crypto';

/** Cryptographic randomness as a value: `random(n)` returns n fresh bytes. */
export type Random = (n: number) => Buffer;

/** Bytes of a nonce of AES-GCM. A call of OpenSSL takes 4 µs, and most requests seal something. Nothing secret has this length. */
const NONCE = 12;
const AHEAD = 4096;

function drawingNoncesAhead(): Random {
  let drawn = Buffer.alloc(0);
  return (n) => {
    if (n !== NONCE) return randomBytes(n);
    if (n > drawn.length) drawn = randomBytes(AHEAD);
    const bytes = drawn.subarray(0, n);
    drawn = drawn.subarray(n);
    return bytes;
  };
}

export const systemRandom: Random = drawingNoncesAhead();
