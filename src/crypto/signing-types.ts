/** How a key signs. */
export type SignatureScheme = 'ecdsa' | 'ed25519' | 'bip340' | 'bip341';

/** A digest of 32 bytes for ECDSA and Schnorr; the message itself for Ed25519. */
export type ToSign = { digest: Uint8Array } | { message: Uint8Array };

/** `r` and `s` of 32 bytes each, and the recovery id. */
export type RawSignature = { r: Uint8Array; s: Uint8Array; v: number };
