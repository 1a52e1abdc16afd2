import { toHex, utf8 } from '../../../src/base/bytes.ts';

/** WebCrypto takes memory that no other thread shares. */
export const own = (bytes: Uint8Array) => new Uint8Array(bytes);

export const bytesOf = (text: string) => own(utf8(text));

export const sha256 = async (bytes: Uint8Array) => new Uint8Array(await crypto.subtle.digest('SHA-256', own(bytes)));

/** SHA-256 of a body's bytes in lower-case hex: the challenge of a passkey, and the end of a fingerprint. */
export const digestOf = async (body: string): Promise<string> => toHex(await sha256(bytesOf(body)));
