/** A signature as the wire writes it: 64 lower-case hex digits each for r and s, two for v (platform facts §9). */
export type SignatureText = { r: string; s: string; v: string };

export function signatureText({ r, s, v }: { r: Buffer; s: Buffer; v: number }): SignatureText {
  return { r: r.toString('hex'), s: s.toString('hex'), v: v.toString(16).padStart(2, '0') };
}
