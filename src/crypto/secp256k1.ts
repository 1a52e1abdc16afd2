import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** libsecp256k1, as far as we use it. Keys, points and signatures are raw bytes; every function throws on bad input. */
export type Secp256k1 = {
  /** RFC 6979 nonce, low S. */
  sign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  /** `signature`: 64 bytes, low S. */
  verify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array;
  /** (privateKey + tweak) mod n, in place. */
  privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  privateKeyVerify(privateKey: Uint8Array): boolean;
};

type Addon = {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  privateKeyVerify(privateKey: Uint8Array): boolean;
};

type Wasm = {
  signRecoverable(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recoveryId: number };
  verify(digest: Uint8Array, publicKey: Uint8Array, signature: Uint8Array, strict: boolean): boolean;
  pointFromScalar(privateKey: Uint8Array, compressed: boolean): Uint8Array | null;
  pointCompress(point: Uint8Array, compressed: boolean): Uint8Array;
  privateAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array | null;
  isPrivate(privateKey: Uint8Array): boolean;
};

function present<T>(value: T | null): T {
  if (value === null) throw new Error('not a point of secp256k1');
  return value;
}

/** The bindings by name, because the package's own entry falls back to slow JavaScript without a word. */
function load(): Secp256k1 {
  try {
    const addon = require('secp256k1/bindings') as Addon;
    return { ...addon, sign: addon.ecdsaSign, verify: addon.ecdsaVerify };
  } catch {
    process.emitWarning('libsecp256k1 has no prebuilt addon for this platform: the WebAssembly build is used, which signs at about 40 % of the speed');
    const wasm = require('tiny-secp256k1') as Wasm;
    return {
      sign(digest, privateKey) {
        const { signature, recoveryId } = wasm.signRecoverable(digest, privateKey);
        return { signature, recid: recoveryId };
      },
      verify: (signature, digest, publicKey) => wasm.verify(digest, publicKey, signature, true),
      publicKeyCreate: (privateKey, compressed) => present(wasm.pointFromScalar(privateKey, compressed)),
      publicKeyConvert: (publicKey, compressed) => wasm.pointCompress(publicKey, compressed),
      privateKeyTweakAdd(privateKey, tweak) {
        privateKey.set(present(wasm.privateAdd(privateKey, tweak)));
        return privateKey;
      },
      privateKeyVerify: (privateKey) => wasm.isPrivate(privateKey),
    };
  }
}

export const secp256k1: Secp256k1 = load();

/** Order of the group (SEC 2 §2.4.1). */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
