/** A digest of 32 bytes for ECDSA and Schnorr; the message itself for Ed25519. */
export type ToSign = { digest: Uint8Array } | { message: Uint8Array };
