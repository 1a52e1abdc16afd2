import type { Secp256k1 } from './secp256k1-type.ts';

/** The exports of the package `tiny-secp256k1`. They throw on bad input, and return null if there is no result. */
type Wasm = {
  isPrivate(key: Uint8Array): boolean;
  isPoint(point: Uint8Array): boolean;
  privateAdd(key: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  privateNegate(key: Uint8Array): Uint8Array;
  pointFromScalar(key: Uint8Array, compressed: boolean): Uint8Array | null;
  pointCompress(point: Uint8Array, compressed: boolean): Uint8Array;
  pointAddScalar(point: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array | null;
  pointMultiply(point: Uint8Array, scalar: Uint8Array, compressed: boolean): Uint8Array | null;
  pointAdd(a: Uint8Array, b: Uint8Array, compressed: boolean): Uint8Array | null;
  signRecoverable(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recoveryId: number };
  verify(digest: Uint8Array, point: Uint8Array, signature: Uint8Array, strict: boolean): boolean;
};

function attempt<T>(run: () => T | null): T | undefined {
  try {
    return run() ?? undefined;
  } catch {
    return undefined;
  }
}

/** `null` is infinity: the sum starts from it, and may return to it. */
function sum(wasm: Wasm, points: readonly Uint8Array[]): Uint8Array | null {
  let total: Uint8Array | null = null;
  for (const point of points) {
    if (!wasm.isPoint(point)) return null;
    total = total === null ? wasm.pointCompress(point, true) : wasm.pointAdd(total, point, true);
  }
  return total;
}

/** libsecp256k1 as WebAssembly, for platforms without a prebuilt addon. */
export function wasmSecp256k1(wasm: Wasm): Secp256k1 {
  return {
    isPrivateKey: (key) => wasm.isPrivate(key),
    publicKey(privateKey, compressed) {
      const point = wasm.pointFromScalar(privateKey, compressed);
      if (point === null) throw new Error('not a private key of secp256k1');
      return point;
    },
    convert: (point, compressed) => attempt(() => (wasm.isPoint(point) ? wasm.pointCompress(point, compressed) : null)),
    addToPrivateKey: (key, tweak) => attempt(() => wasm.privateAdd(key, tweak)),
    negate: (key) => wasm.privateNegate(key),
    addToPoint: (point, tweak) => attempt(() => wasm.pointAddScalar(point, tweak, true)),
    multiplyPoint: (point, scalar) => attempt(() => wasm.pointMultiply(point, scalar, true)),
    sumOfPoints: (points) => attempt(() => sum(wasm, points)),
    sign(digest, privateKey) {
      const { signature, recoveryId } = wasm.signRecoverable(digest, privateKey);
      return { signature, recovery: recoveryId };
    },
    verify: (signature, digest, point) => attempt(() => wasm.verify(digest, point, signature, false)) ?? false,
  };
}
