import { zero } from '../base/bytes.ts';

declare const plain: unique symbol;

/**
 * Bytes of a private key, or of another opened secret. To the compiler it is no Uint8Array, so nothing hands it out where bytes, a text
 * or JSON are declared. At run time it is a Buffer.
 */
export type PlainKey = { readonly [plain]: true };

/** What functions of keys take: keys of the vault, and bytes that a caller brings. */
export type KeyBytes = PlainKey | Uint8Array;

export const asPlainKey = (bytes: Uint8Array): PlainKey => bytes as unknown as PlainKey;

/** The same memory. scripts/check/rules.ts names the files that may do so. */
export const bytesOfKey = (key: KeyBytes): Buffer => key as unknown as Buffer;

export const wipe = (key: KeyBytes): void => zero(bytesOfKey(key));
