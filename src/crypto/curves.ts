import { createRequire } from 'node:module';
import { p256 } from '@noble/curves/nist.js';
import { schnorr } from '@noble/curves/secp256k1.js';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { SECP256K1_N, secp256k1 } from './secp256k1.ts';

export type Curve = 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';

/** Curves whose keys sign a 32-byte digest. */
export type DigestCurve = Exclude<Curve, 'CURVE_ED25519'>;

type Sodium = {
  crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer): void;
  crypto_sign_detached(signature: Buffer, message: Buffer, secretKey: Buffer): void;
  crypto_core_ed25519_is_valid_point(point: Buffer): boolean;
};

const sodium = createRequire(import.meta.url)('sodium-native') as Sodium;

const bytes = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);

/** seed ‖ public key, as libsodium signs with it. The caller wipes it. */
function ed25519Pair(seed: Uint8Array): { publicKey: Buffer; secretKey: Buffer } {
  const pair = { publicKey: Buffer.alloc(32), secretKey: Buffer.alloc(64) };
  sodium.crypto_sign_seed_keypair(pair.publicKey, pair.secretKey, bytes(seed));
  return pair;
}

/** 33 bytes, compressed (SEC 1 §2.3.3); 32 bytes on Ed25519 (RFC 8032 §5.1.5). `privateKey`: 32 bytes. */
export function publicKeyOf(curve: Curve, privateKey: Uint8Array): Buffer {
  if (curve === 'CURVE_SECP256K1') return bytes(secp256k1.publicKeyCreate(privateKey, true));
  if (curve === 'CURVE_P256') return bytes(p256.getPublicKey(privateKey, true));
  const { publicKey, secretKey } = ed25519Pair(privateKey);
  zero(secretKey);
  return publicKey;
}

/** 04 ‖ X ‖ Y, 65 bytes. Throws if it is no point of the curve. */
export function uncompressed(curve: DigestCurve, publicKey: Uint8Array): Buffer {
  if (curve === 'CURVE_SECP256K1') return bytes(secp256k1.publicKeyConvert(publicKey, false));
  return bytes(p256.Point.fromBytes(publicKey).toBytes(false));
}

/** A point of Ed25519's prime-order group: no point of small order, for which anybody can make signatures. */
export function isEd25519Point(point: Buffer): boolean {
  return point.length === 32 && sodium.crypto_core_ed25519_is_valid_point(point);
}

/** 32 bytes that are a key of the curve. */
export function isPrivateKey(curve: Curve, key: Uint8Array): boolean {
  if (key.length !== 32) return false;
  if (curve === 'CURVE_SECP256K1') return secp256k1.privateKeyVerify(key);
  return curve === 'CURVE_ED25519' || p256.utils.isValidSecretKey(key);
}

export function generatePrivateKey(curve: Curve, random: Random): Buffer {
  for (;;) {
    const key = random(32);
    if (isPrivateKey(curve, key)) return key;
  }
}

/** An ECDSA signature: `r` and `s` of 32 bytes each, low S, and the recovery id. */
export type DigestSignature = { r: Buffer; s: Buffer; v: number };

/** ECDSA over a 32-byte digest with the nonce of RFC 6979: the same input gives the same signature. */
export function signDigest(curve: DigestCurve, privateKey: Uint8Array, digest: Uint8Array): DigestSignature {
  if (curve === 'CURVE_SECP256K1') {
    const { signature, recid } = secp256k1.sign(digest, privateKey);
    const rs = bytes(signature);
    return { r: rs.subarray(0, 32), s: rs.subarray(32), v: recid };
  }
  const signed = bytes(p256.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' }));
  return { r: signed.subarray(1, 33), s: signed.subarray(33), v: signed[0]! };
}

/** PureEdDSA (RFC 8032 §5.1.6) over the message itself; `seed`: 32 bytes; 64 bytes. */
export function signEd25519(seed: Uint8Array, message: Uint8Array): Buffer {
  const { secretKey } = ed25519Pair(seed);
  const signature = Buffer.alloc(64);
  sodium.crypto_sign_detached(signature, bytes(message), secretKey);
  zero(secretKey);
  return signature;
}

/** BIP-340 with 32 bytes of auxiliary randomness; 64 bytes. */
export function signSchnorr(privateKey: Uint8Array, digest: Uint8Array, auxiliary: Uint8Array): Buffer {
  return bytes(schnorr.sign(digest, privateKey, auxiliary));
}

/** The key that signs for a BIP-341 key-path output without a script tree (BIP-86). The caller wipes it. */
export function tapTweakPrivateKey(privateKey: Uint8Array): Buffer {
  const point = secp256k1.publicKeyCreate(privateKey, true);
  const key = Buffer.from(privateKey);
  if (point[0] === 3) {
    const negated = (SECP256K1_N - BigInt(`0x${key.toString('hex')}`)).toString(16).padStart(64, '0');
    key.write(negated, 'hex');
  }
  const tweak = schnorr.utils.taggedHash('TapTweak', point.subarray(1));
  return bytes(secp256k1.privateKeyTweakAdd(key, tweak));
}
