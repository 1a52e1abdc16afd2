/**
 * The part of libsecp256k1 that we use. Private keys, tweaks and digests are 32 bytes, points 33 (compressed) or 65 bytes,
 * signatures 64 bytes r ‖ s. Inputs are never changed; results are newly allocated.
 */
export type Secp256k1 = {
  /** 1 ≤ key < n. */
  isPrivateKey(key: Uint8Array): boolean;
  /** Throws if the key is invalid. */
  publicKey(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  /** The point in the other form. Undefined if it is not a point of the curve. */
  convert(point: Uint8Array, compressed: boolean): Uint8Array | undefined;
  /** (key + tweak) mod n. Undefined if that is 0 or tweak ≥ n. */
  addToPrivateKey(key: Uint8Array, tweak: Uint8Array): Uint8Array | undefined;
  /** n − key. */
  negate(key: Uint8Array): Uint8Array;
  /** point + tweak·G, compressed. Undefined if that is infinity, tweak ≥ n or the input is not a point. */
  addToPoint(point: Uint8Array, tweak: Uint8Array): Uint8Array | undefined;
  /** scalar·point, compressed; not in constant time: only for public scalars. Undefined for a scalar of 0 or ≥ n, or no point. */
  multiplyPoint(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  /** The sum of one or more points, compressed. Undefined if that is infinity or an input is not a point. */
  sumOfPoints(points: readonly Uint8Array[]): Uint8Array | undefined;
  /** ECDSA with the nonce of RFC 6979 §3.2 (SHA-256), low S. `digest` < n. */
  sign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recovery: number };
  /** ECDSA; accepts high and low S. False for malformed input. */
  verify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean;
};
