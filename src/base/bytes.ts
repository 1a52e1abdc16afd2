/** Conversions between bytes and text, for browsers and Node.js. Hex output is lower case, without 0x. */

/** Set on Node.js only. Its conversions are faster there, above all for long texts. */
const native: typeof Buffer | undefined = globalThis.Buffer;

const HEX = /^(?:[0-9a-fA-F]{2})*$/;
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function isHex(text: string): boolean {
  return HEX.test(text);
}

/** Strict: an even number of hex digits, no prefix. Returns undefined for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (!isHex(text)) return undefined;
  return native ? native.from(text, 'hex') : portable.fromHex(text);
}

/** For valid hex only: constants in the source, or the output of `toHex`. */
export function hexBytes(text: string): Uint8Array {
  const bytes = fromHex(text);
  if (bytes === undefined) throw new Error('not hex');
  return bytes;
}

export function toHex(bytes: Uint8Array): string {
  return native ? nodeBytes(native, bytes).toString('hex') : portable.toHex(bytes);
}

/** The result shares the memory of the bytes. */
function nodeBytes(node: typeof Buffer, bytes: Uint8Array): Buffer {
  return bytes instanceof node ? bytes : node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const BASE64URL = /^[A-Za-z0-9_-]*={0,2}$/;

/** base64url with or without padding (RFC 4648 §5). Returns undefined for other characters. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!BASE64URL.test(text)) return undefined;
  return native ? native.from(text, 'base64url') : portable.fromBase64Url(text);
}

/** The canonical form of a text that may have padding, or use the other alphabet of RFC 4648. */
export const plainBase64Url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The result has no padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return native ? nodeBytes(native, bytes).toString('base64url') : portable.toBase64Url(bytes);
}

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  return native ? native.from(text, 'utf8') : portable.utf8(text);
}

/** Fallback without Node.js. It is exported for the test that compares it with the conversions of Node.js. */
export const portable = {
  fromHex(text: string): Uint8Array {
    return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
  },
  toHex(bytes: Uint8Array): string {
    let text = '';
    for (const byte of bytes) text += DIGITS[byte];
    return text;
  },
  fromBase64Url(text: string): Uint8Array {
    const digits = text.replace(/=/g, '').replaceAll('-', '+').replaceAll('_', '/');
    // A single leftover digit encodes no byte.
    const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
    return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  },
  toBase64Url(bytes: Uint8Array): string {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  },
  utf8: (text: string): Uint8Array => new TextEncoder().encode(text),
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 and keeps a byte order mark. Returns undefined for invalid UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Does not run in constant time: never use it for secrets. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** For reading and writing multi-byte numbers. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads an integer of `width` bytes (at most 4), least significant first. */
export function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}

/** Overwrites a secret. The buffer must not be used afterwards. */
export function zero(bytes: Uint8Array): void {
  bytes.fill(0);
}
