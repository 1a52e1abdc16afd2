import { toHex } from '../../base/bytes.ts';
/** A signature in API form: 64 lower-case hex digits each for r and s, two for v. */
export type SignatureText = { r: string; s: string; v: string };

/** `r` and `s`: 32 bytes each. `v`: the recovery id; 0 for Ed25519 and Schnorr, where r and s are the halves of the signature. */
export function signatureText({ r, s, v }: { r: Uint8Array; s: Uint8Array; v: number }): SignatureText {
  return { r: toHex(r), s: toHex(s), v: v.toString(16).padStart(2, '0') };
}
