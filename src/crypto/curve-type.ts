export type Curve = 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';

/** Curves whose keys sign a 32-byte digest. */
export type DigestCurve = Exclude<Curve, 'CURVE_ED25519'>;
