import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { concat, fromBase64Url } from '../base/bytes.ts';
import { BundleError } from './bundle-error.ts';
import { TAG } from './hpke-schedule.ts';

const base58check = createBase58check(sha256);

/** The maximum length of a text in base58, with room for 1,400 bytes. To decode it takes time by the square of its length. */
const LONGEST = 2048;
const COMPRESSED = 33;
/** Base58 has none of these. */
const BASE64URL = /[-_OIl0]/;

/** Compressed ephemeral key ‖ ciphertext, in base58 with a checksum and without a version byte. */
export const credentialBundle = (compressed: Uint8Array, ciphertext: Uint8Array): string =>
  base58check.encode(concat([compressed, ciphertext]));

function decoded(text: string): Uint8Array | undefined {
  if (BASE64URL.test(text)) return fromBase64Url(text);
  try {
    return base58check.decode(text);
  } catch {
    return undefined;
  }
}

/** Also reads base64url, as older services wrote it, if `lenient`. The key is not checked. Throws BundleError. */
export function readCredentialBundle(text: string, lenient = false): { compressed: Uint8Array; ciphertext: Uint8Array } {
  if (text.length > LONGEST) throw new BundleError(`is longer than ${LONGEST} characters`);
  const bytes = lenient || !BASE64URL.test(text) ? decoded(text) : undefined;
  if (bytes === undefined) throw new BundleError('is not base58 with a checksum');
  if (bytes.length < COMPRESSED + TAG) throw new BundleError('has no P-256 public key and ciphertext');
  return { compressed: bytes.subarray(0, COMPRESSED), ciphertext: bytes.subarray(COMPRESSED) };
}
