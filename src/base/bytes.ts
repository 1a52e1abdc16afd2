/** Hex and byte helpers. All hex that we write is lower case, without 0x. */

const HEX = /^(?:[0-9a-fA-F]{2})*$/;

export function isHex(text: string): boolean {
  return HEX.test(text);
}

/** Strict: an even number of hex digits, no prefix. Returns undefined for anything else. */
export function fromHex(text: string): Buffer | undefined {
  return isHex(text) ? Buffer.from(text, 'hex') : undefined;
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

const BASE64URL = /^[A-Za-z0-9_-]*={0,2}$/;

/** base64url with or without padding (RFC 4648 §5). Returns undefined for other characters. */
export function fromBase64Url(text: string): Buffer | undefined {
  return BASE64URL.test(text) ? Buffer.from(text, 'base64url') : undefined;
}

export function concat(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts);
}

/** Overwrites a secret. The buffer must not be used afterwards. */
export function zero(bytes: Uint8Array): void {
  bytes.fill(0);
}
