import type { Secp256k1 } from './secp256k1-type.ts';

/** The exports of the package `secp256k1` (its API.md). They throw on bad input, and modify arguments where marked. */
type Addon = {
  privateKeyVerify(key: Uint8Array): boolean;
  /** In place. */
  privateKeyTweakAdd(key: Uint8Array, tweak: Uint8Array): Uint8Array;
  /** In place. */
  privateKeyNegate(key: Uint8Array): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(point: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyTweakAdd(point: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyTweakMul(point: Uint8Array, scalar: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCombine(points: readonly Uint8Array[], compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean;
  /** In place. */
  signatureNormalize(signature: Uint8Array): Uint8Array;
};

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** libsecp256k1 as a native addon. */
export function addonSecp256k1(addon: Addon): Secp256k1 {
  return {
    isPrivateKey: (key) => key.length === 32 && addon.privateKeyVerify(key),
    publicKey: (privateKey, compressed) => addon.publicKeyCreate(privateKey, compressed),
    convert: (point, compressed) => attempt(() => addon.publicKeyConvert(point, compressed)),
    addToPrivateKey: (key, tweak) => attempt(() => addon.privateKeyTweakAdd(Buffer.from(key), tweak)),
    negate: (key) => addon.privateKeyNegate(Buffer.from(key)),
    addToPoint: (point, tweak) => attempt(() => addon.publicKeyTweakAdd(point, tweak, true)),
    multiplyPoint: (point, scalar) => attempt(() => addon.publicKeyTweakMul(point, scalar, true)),
    sumOfPoints: (points) => attempt(() => addon.publicKeyCombine(points, true)),
    sign(digest, privateKey) {
      const { signature, recid } = addon.ecdsaSign(digest, privateKey);
      return { signature, recovery: recid };
    },
    verify: (signature, digest, point) =>
      attempt(() => addon.ecdsaVerify(addon.signatureNormalize(Buffer.from(signature)), digest, point)) ?? false,
  };
}
