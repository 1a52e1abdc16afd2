import { hash } from 'node:crypto';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { asBuffer } from './buffers.ts';

/** SHA-256 (FIPS 180-4): 32 bytes. */
export function sha256(data: Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/** SHA3-256 (FIPS 202): 32 bytes. Not Keccak-256, which pads differently. */
export function sha3256(data: Uint8Array): Buffer {
  return hash('sha3-256', data, 'buffer');
}

/** Keccak-256 as Ethereum uses it (the padding of the Keccak submission, not of FIPS 202): 32 bytes. */
export function keccak256(data: Uint8Array): Buffer {
  return asBuffer(keccak_256(data));
}

/** RIPEMD-160 of SHA-256, the 20 bytes that Bitcoin and its relatives name a public key by. */
export function hash160(data: Uint8Array): Buffer {
  return asBuffer(ripemd160(sha256(data)));
}

/** SHA256(SHA256(tag) ‖ SHA256(tag) ‖ data), BIP-340 "Design": 32 bytes. */
export function taggedHash(tag: string, data: Uint8Array): Buffer {
  const prefix = sha256(Buffer.from(tag));
  return sha256(Buffer.concat([prefix, prefix, data]));
}
