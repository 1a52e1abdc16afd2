/** The two integers of an ECDSA signature, 32 bytes each. */
export type Rs = { r: Buffer; s: Buffer };

const LONGEST = 80;

function integerAt(der: Buffer, at: number): { value: Buffer; next: number } | undefined {
  const length = der[at + 1];
  if (der[at] !== 0x02 || length === undefined || length === 0 || length > 0x7f) return undefined;
  const next = at + 2 + length;
  if (next > der.length) return undefined;
  let value = der.subarray(at + 2, next);
  if (value[0]! & 0x80) return undefined;
  while (value.length > 1 && value[0] === 0) value = value.subarray(1);
  if (value.length > 32) return undefined;
  return { value: Buffer.concat([Buffer.alloc(32 - value.length), value]), next };
}

/**
 * Reads SEQUENCE { INTEGER, INTEGER } with short lengths (X.690 §8). Lenient in one thing: an integer may have
 * zero bytes in front that DER forbids, because published wallet stampers write them. Nothing may follow.
 */
export function parseSignatureDer(der: Buffer): Rs | undefined {
  if (der.length > LONGEST || der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.next);
  return r && s && s.next === der.length ? { r: r.value, s: s.value } : undefined;
}

function minimalInteger(value: Buffer): Buffer {
  let from = 0;
  while (from < value.length - 1 && value[from] === 0) from++;
  const trimmed = value.subarray(from);
  const body = trimmed[0]! & 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed;
  return Buffer.concat([Buffer.of(0x02, body.length), body]);
}

/** Strict DER. */
export function signatureDer({ r, s }: Rs): Buffer {
  const body = Buffer.concat([minimalInteger(r), minimalInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}
