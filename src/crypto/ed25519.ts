import { createPublicKey, sign, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import { ed25519 as noble } from '@noble/curves/ed25519.js';
import { zero } from '../base/bytes.ts';
import { asBuffer } from './buffers.ts';
import { importPrivateKey, importPublicKey } from './import-key.ts';
import { bytesOfKey, type KeyBytes } from './plain-key.ts';

/** Ed25519 (RFC 8032 §5.1). Seeds and public keys are 32 bytes, signatures 64. */
export type Ed25519 = {
  publicKey(seed: Uint8Array): Buffer;
  sign(seed: Uint8Array, message: Uint8Array): Buffer;
  /** Signs with a key that the library keeps. */
  signer(seed: KeyBytes): (message: Uint8Array) => Buffer;
  /** A verifier for one public key, with the library's cached state. Returns false for malformed input. */
  verifier(publicKey: Uint8Array): (signature: Uint8Array, message: Uint8Array) => boolean;
  /** A canonical point, not of small order: for those any party can forge signatures. */
  isPublicKey(point: Uint8Array): boolean;
};

/** The part of the package `sodium-native` that we use. */
type Sodium = {
  /** Memory that is not swapped, and is wiped when it is freed. */
  sodium_malloc(bytes: number): Buffer;
  crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer): void;
  crypto_sign_detached(signature: Buffer, message: Buffer, secretKey: Buffer): void;
  crypto_sign_verify_detached(signature: Buffer, message: Buffer, publicKey: Buffer): boolean;
  crypto_core_ed25519_is_valid_point(point: Buffer): boolean;
};

export function sodiumEd25519(sodium: Sodium): Ed25519 {
  return {
    publicKey(seed) {
      const publicKey = Buffer.alloc(32);
      const secretKey = Buffer.alloc(64);
      sodium.crypto_sign_seed_keypair(publicKey, secretKey, asBuffer(seed));
      zero(secretKey);
      return publicKey;
    },
    sign(seed, message) {
      const signature = Buffer.alloc(64);
      const secretKey = Buffer.alloc(64);
      sodium.crypto_sign_seed_keypair(Buffer.alloc(32), secretKey, asBuffer(seed));
      sodium.crypto_sign_detached(signature, asBuffer(message), secretKey);
      zero(secretKey);
      return signature;
    },
    signer(seed) {
      const secretKey = sodium.sodium_malloc(64);
      sodium.crypto_sign_seed_keypair(Buffer.alloc(32), secretKey, bytesOfKey(seed));
      return (message) => {
        const signature = Buffer.alloc(64);
        sodium.crypto_sign_detached(signature, asBuffer(message), secretKey);
        return signature;
      };
    },
    verifier(publicKey) {
      const point = asBuffer(publicKey);
      return (signature, message) =>
        signature.length === 64 && sodium.crypto_sign_verify_detached(asBuffer(signature), asBuffer(message), point);
    },
    isPublicKey: (point) => point.length === 32 && sodium.crypto_core_ed25519_is_valid_point(asBuffer(point)),
  };
}

/** PKCS #8 and SubjectPublicKeyInfo, up to the 32 key bytes (RFC 8410 §4, §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function privateHandle(seed: Uint8Array) {
  const key = Buffer.concat([PKCS8, seed]);
  try {
    return importPrivateKey(key);
  } finally {
    zero(key);
  }
}

const publicHandle = (point: Uint8Array) => importPublicKey(Buffer.concat([SPKI, point]));

export const openSslEd25519: Ed25519 = {
  publicKey: (seed) => createPublicKey(privateHandle(seed)).export({ format: 'der', type: 'spki' }).subarray(SPKI.length),
  sign: (seed, message) => sign(null, message, privateHandle(seed)),
  signer(seed) {
    const handle = privateHandle(bytesOfKey(seed));
    return (message) => sign(null, message, handle);
  },
  verifier(publicKey) {
    const handle = publicHandle(publicKey);
    return (signature, message) => signature.length === 64 && verify(null, message, handle, signature);
  },
  isPublicKey(point) {
    try {
      return point.length === 32 && !noble.Point.fromBytes(point).isSmallOrder();
    } catch {
      return false;
    }
  },
};

/** libsodium signs from a seed in a third of OpenSSL's time. OpenSSL, also native, is the fallback if the addon does not load. */
function load(): Ed25519 {
  try {
    return sodiumEd25519(createRequire(import.meta.url)('sodium-native'));
  } catch {
    return openSslEd25519;
  }
}

export const ed25519: Ed25519 = load();
