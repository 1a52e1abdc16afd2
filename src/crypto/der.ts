/**
 * r‖s of an ECDSA signature encoded as SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3) on a 256-bit curve. Lenient in one point
 * only: an integer of at most 33 bytes may start with zero bytes that DER forbids. The reason is that published wallet stampers
 * always write r and s as 32 bytes. Everything else is strict: short lengths, no negative or empty integer, nothing missing and no
 * trailing bytes.
 */
export type EcdsaSignature = {
  /** r ‖ s, 64 bytes. */
  compact: Uint8Array;
  /** The signature in strict DER. */
  der: Uint8Array;
};

const INTEGER = 0x02;
const SEQUENCE = 0x30;
/** Two integers of 33 bytes, three headers of two bytes. */
const LONGEST = 72;

type Integer = { start: number; end: number; minimal: boolean };

function integerAt(der: Uint8Array, at: number): Integer | undefined {
  const length = der[at + 1];
  if (der[at] !== INTEGER || length === undefined || length === 0 || length > 33) return undefined;
  let start = at + 2;
  const end = start + length;
  if (end > der.length || der[start]! >= 0x80) return undefined;
  const minimal = length === 1 || der[start] !== 0 || der[start + 1]! >= 0x80;
  while (start < end - 1 && der[start] === 0) start++;
  return end - start > 32 ? undefined : { start, end, minimal };
}

/** Undefined if the input does not have this form. The verifier checks the ranges of r and s. */
export function parseEcdsaSignature(der: Uint8Array): EcdsaSignature | undefined {
  if (der.length > LONGEST || der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.end);
  if (!r || !s || s.end !== der.length) return undefined;
  const compact = new Uint8Array(64);
  compact.set(der.subarray(r.start, r.end), 32 - (r.end - r.start));
  compact.set(der.subarray(s.start, s.end), 64 - (s.end - s.start));
  return { compact, der: r.minimal && s.minimal ? der : encodeEcdsaSignature(compact) };
}

function encodeInteger(value: Uint8Array): number[] {
  let start = 0;
  while (start < value.length - 1 && value[start] === 0) start++;
  const digits = value.subarray(start);
  const sign = digits[0]! >= 0x80 ? [0] : [];
  return [INTEGER, sign.length + digits.length, ...sign, ...digits];
}

/** Strict DER of r ‖ s, 64 bytes. */
export function encodeEcdsaSignature(compact: Uint8Array): Uint8Array {
  const r = encodeInteger(compact.subarray(0, 32));
  const s = encodeInteger(compact.subarray(32));
  return Uint8Array.of(SEQUENCE, r.length + s.length, ...r, ...s);
}
