import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concat, utf8 } from '../base/bytes.ts';

export { keccak256 } from './keccak.ts';

/** Native hashes on Node.js: up to eight times faster than JavaScript for long data. Browsers have no synchronous ones. */
const native = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule('node:crypto').hash;

/** The length in bytes from which the native hash is faster. */
const LONG = 64;

/** SHA-256 (FIPS 180-4): 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  return native && data.length >= LONG ? native('sha256', data, 'buffer') : portableSha256(data);
}

/** SHA3-256 (FIPS 202): 32 bytes. Not Keccak-256, which pads differently. */
export function sha3256(data: Uint8Array): Uint8Array {
  return sha3_256(data);
}

/** RIPEMD-160 of SHA-256: the 20-byte public key hash of Bitcoin and related chains. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(sha256(data));
}

/** SHA256(SHA256(tag) ‖ SHA256(tag) ‖ data), BIP-340 "Design": 32 bytes. */
export function taggedHash(tag: string, data: Uint8Array): Uint8Array {
  const prefix = sha256(utf8(tag));
  return sha256(concat([prefix, prefix, data]));
}
