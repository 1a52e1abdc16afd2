import type { Curve } from '../crypto/curves.ts';

/** One row of an address format. */
export type AddressFormat = {
  /** ADDRESS_FORMAT_… */
  name: string;
  /** The curves whose keys have such an address. */
  curves: readonly Curve[];
  /** How a key signs when it is named by such an address. */
  signature: 'ecdsa' | 'ed25519' | 'bip340' | 'bip341' | 'of-curve';
  /** `publicKey`: 33 bytes compressed, or 32 bytes of Ed25519. */
  encode(publicKey: Buffer, curve: Curve): string;
  /** The form under which an address is stored; text that is none comes back unchanged. */
  normalize(text: string): string;
};
