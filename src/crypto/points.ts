import { p256 as nobleP256 } from '@noble/curves/nist.js';
import { secp256k1 as nobleSecp256k1 } from '@noble/curves/secp256k1.js';
import type { DigestCurve } from './curve-type.ts';
import { taggedHash } from './hash.ts';
import type { Secp256k1 } from './secp256k1-type.ts';

/** Arithmetic on public points, without secrets: used to derive addresses, in a browser too. */
export type Points = {
  secp256k1: Pick<Secp256k1, 'convert' | 'addToPoint'>;
  /** Converts a point of 33 or 65 bytes to 65 bytes. Undefined if it is not a point of the curve. */
  p256Uncompressed(point: Uint8Array): Uint8Array | undefined;
};

const { Point } = nobleSecp256k1;

function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

export const portablePoints: Points = {
  secp256k1: {
    convert: (point, compressed) => orUndefined(() => Point.fromBytes(point).toBytes(compressed)),
    addToPoint: (point, tweak) =>
      orUndefined(() => {
        const number = Point.Fn.fromBytes(tweak);
        const added = number === 0n ? Point.ZERO : Point.BASE.multiply(number);
        return Point.fromBytes(point).add(added).toBytes(true);
      }),
  },
  p256Uncompressed: (point) => orUndefined(() => nobleP256.Point.fromBytes(point).toBytes(false)),
};

let points = portablePoints;

/** Replaces the arithmetic with native code, ten times faster, where keys sign: see `curves.ts`. The results are the same. */
export function useNativePoints(native: Points): void {
  points = native;
}

/** 04 ‖ X ‖ Y, 65 bytes, of a point in either form. Throws if it is not a point of the curve. */
export function uncompressed(curve: DigestCurve, publicKey: Uint8Array): Uint8Array {
  const point = curve === 'CURVE_SECP256K1' ? points.secp256k1.convert(publicKey, false) : points.p256Uncompressed(publicKey);
  if (point === undefined) throw new Error(`not a public key on ${curve}`);
  return point;
}

export const tapTweakOf = (xOnly: Uint8Array): Uint8Array => taggedHash('TapTweak', xOnly);

/** The x coordinate of the BIP-341 output key without a script tree (BIP-86): 32 bytes. `publicKey`: 33 bytes. */
export function tapTweakPublicKey(publicKey: Uint8Array): Uint8Array {
  const even = new Uint8Array(publicKey);
  even[0] = 0x02;
  const tweaked = points.secp256k1.addToPoint(even, tapTweakOf(even.subarray(1)));
  if (tweaked === undefined) throw new Error('not a point of secp256k1');
  return tweaked.subarray(1);
}
