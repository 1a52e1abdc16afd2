/** Compact stored forms of texts that the program uses as texts. Each `…Bytes` has its inverse in `…Text`. */

const DIGITS = new Int8Array(0x80).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value;

const DASH = 0x2d;
const UUID_LENGTH = 36;
/** The index of each byte's first hex digit in the text of a UUID. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

const digitAt = (text: string, at: number): number => DIGITS[text.charCodeAt(at)] ?? -1;

/** The 16 bytes of a UUID in lower case. Undefined for any other text, and for the nil UUID, which is never used as an id. */
export function idBytes(text: string): Buffer | undefined {
  if (text.length !== UUID_LENGTH) return undefined;
  for (const at of [8, 13, 18, 23]) if (text.charCodeAt(at) !== DASH) return undefined;
  const bytes = Buffer.allocUnsafe(PLACES.length);
  // Negative if any digit is invalid; zero if all digits are zero.
  let all = 0;
  for (let i = 0; i < PLACES.length; i++) {
    const at = PLACES[i]!;
    const byte = (digitAt(text, at) << 4) | digitAt(text, at + 1);
    all |= byte;
    bytes[i] = byte;
  }
  return all > 0 ? bytes : undefined;
}

export function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The first byte of a value that is stored as text, not as the bytes of its hex digits. */
const AS_TEXT = 0xff;

/** Stores lower-case hex as its bytes. Stores any other text, and hex that begins with `ff`, as UTF-8 after a marker byte. */
export function hexBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'hex');
  if (bytes[0] !== AS_TEXT && bytes.toString('hex') === text) return bytes;
  return Buffer.concat([Buffer.of(AS_TEXT), Buffer.from(text)]);
}

export const hexText = (bytes: Buffer): string => (bytes[0] === AS_TEXT ? bytes.toString('utf8', 1) : bytes.toString('hex'));

/** The bytes of base64url without padding. Undefined for any other text, so that each value has one form. */
export function base64UrlBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return base64UrlText(bytes) === text ? bytes : undefined;
}

export const base64UrlText = (bytes: Buffer): string => bytes.toString('base64url');

const DIGEST = 'sha256:';
const DIGEST_BYTES = 32;

/** The 32 bytes of `sha256:` and lower-case hex; undefined for any other text. */
export function digestBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text.slice(DIGEST.length), 'hex');
  return bytes.length === DIGEST_BYTES && digestText(bytes) === text ? bytes : undefined;
}

export const digestText = (bytes: Buffer): string => `${DIGEST}${bytes.toString('hex')}`;
