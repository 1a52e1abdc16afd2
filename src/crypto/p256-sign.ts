import { createECDH } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import { asBuffer } from './buffers.ts';
import { sha256 } from './hash.ts';
import { isP256PrivateKey, OPENSSL_NAME, P256_N } from './p256.ts';

const HALF_N = P256_N >> 1n;

/** 32 bytes as a number, without a text of a secret in between. */
function numberOf(bytes: Buffer): bigint {
  let value = 0n;
  for (let at = 0; at < 32; at += 8) value = (value << 64n) | bytes.readBigUInt64BE(at);
  return value;
}

function bytesOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  for (let at = 24, rest = value; at >= 0; at -= 8, rest >>= 64n) bytes.writeBigUInt64BE(BigInt.asUintN(64, rest), at);
  return bytes;
}

const mod = (value: bigint): bigint => {
  const rest = value % P256_N;
  return rest < 0n ? rest + P256_N : rest;
};

/** The inverse modulo n, by the extended Euclidean algorithm. Its time depends on `value`: blind what is secret. */
function inverse(value: bigint): bigint {
  let [a, b, x, y] = [value, P256_N, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return mod(x);
}

/** HMAC-SHA-256 (RFC 2104) with a key of 32 bytes, by one-shot hashes: a quarter of what an Hmac object costs. */
function hmac(key: Buffer, message: Buffer): Buffer {
  const inner = Buffer.alloc(64 + message.length, 0x36);
  const outer = Buffer.alloc(96, 0x5c);
  for (let i = 0; i < 32; i++) {
    inner[i] = key[i]! ^ 0x36;
    outer[i] = key[i]! ^ 0x5c;
  }
  message.copy(inner, 64);
  outer.set(sha256(inner), 64);
  const tag = asBuffer(sha256(outer));
  zero(inner);
  zero(outer);
  return tag;
}

/** HMAC_DRBG of RFC 6979 §3.2 with SHA-256: candidates of 32 bytes, for the nonce and then for a factor that blinds it. */
function candidates(key: Uint8Array, digest: bigint): () => Buffer {
  const seed = Buffer.concat([key, bytesOf(mod(digest))]);
  let k: Buffer = Buffer.alloc(32);
  let v: Buffer = Buffer.alloc(32, 1);
  for (const round of [0, 1]) {
    k = hmac(k, Buffer.concat([v, Buffer.of(round), seed]));
    v = hmac(k, v);
  }
  zero(seed);
  let first = true;
  return () => {
    if (!first) {
      k = hmac(k, Buffer.concat([v, Buffer.of(0)]));
      v = hmac(k, v);
    }
    first = false;
    v = hmac(k, v);
    return v;
  };
}

function inRange(next: () => Buffer): Buffer {
  for (;;) {
    const bytes = next();
    const value = numberOf(bytes);
    if (value > 0n && value < P256_N) return Buffer.from(bytes);
  }
}

/**
 * ECDSA over a ready digest: RFC 6979 nonce (SHA-256), low S, r ‖ s. OpenSSL hashes what it signs and gives no recovery id, so
 * only the multiplication of the base point, in which the time is, is its own: the public key of the nonce.
 */
export function signP256(digest: Uint8Array, privateKey: Uint8Array): { signature: Buffer; recovery: number } {
  if (digest.length !== 32) throw new RangeError('a digest has 32 bytes');
  if (!isP256PrivateKey(privateKey)) throw new RangeError('not a private key of P-256');
  const z = numberOf(Buffer.from(digest));
  const key = Buffer.from(privateKey);
  const d = numberOf(key);
  const next = candidates(key, z);
  zero(key);
  const pair = createECDH(OPENSSL_NAME);
  for (;;) {
    const nonce = inRange(next);
    pair.setPrivateKey(nonce);
    const k = numberOf(nonce);
    zero(nonce);
    const point = pair.getPublicKey() as unknown as Buffer;
    const x = numberOf(point.subarray(1, 33));
    const r = mod(x);
    const blind = numberOf(inRange(next));
    const s = mod(inverse(mod(k * blind)) * mod(mod(blind * z) + mod(mod(blind * r) * d)));
    if (r === 0n || s === 0n) continue;
    const low = s <= HALF_N;
    const recovery = ((x === r ? 0 : 2) | (point[64]! & 1)) ^ (low ? 0 : 1);
    return { signature: Buffer.concat([bytesOf(r), bytesOf(low ? s : P256_N - s)]), recovery };
  }
}
