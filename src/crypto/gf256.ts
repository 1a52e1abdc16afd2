/** Arithmetic in GF(256) with the polynomial of AES: x⁸ + x⁴ + x³ + x + 1. It has no table and no branch that depends on a secret. */

export function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = a;
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1);
    shifted = (shifted << 1) ^ (0x11b & -(shifted >> 7));
  }
  return product;
}

/** The power 254. */
function inverse(a: number): number {
  let power = a;
  for (let i = 0; i < 6; i++) power = multiply(multiply(power, power), a);
  return multiply(power, power);
}

/** The values of one polynomial for each byte, at a number. */
export type Point = { readonly x: number; readonly y: Uint8Array };

/** What the polynomials through these points have at another number. All `x` differ, and all `y` are of one length. The caller wipes it. */
export function interpolate(points: readonly Point[], at: number): Buffer {
  const found = Buffer.alloc(points[0]!.y.length);
  for (const { x, y } of points) {
    let weight = 1;
    for (const other of points) if (other.x !== x) weight = multiply(weight, multiply(at ^ other.x, inverse(x ^ other.x)));
    for (let i = 0; i < found.length; i++) found[i]! ^= multiply(y[i]!, weight);
  }
  return found;
}
