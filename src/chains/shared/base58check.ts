import { createBase58check } from '@scure/base';
import { concat } from '../../base/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';

const base58check = createBase58check(sha256);

/** Base58 of version ‖ payload ‖ first four bytes of the double SHA-256, in Bitcoin's alphabet. */
export function toBase58check(version: number, payload: Uint8Array): string {
  return base58check.encode(concat([Uint8Array.of(version), payload]));
}

/** Version ‖ payload. Throws for any other text. */
export const fromBase58check = (text: string): Uint8Array => base58check.decode(text);
