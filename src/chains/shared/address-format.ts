import type { Curve } from '../../crypto/curve-type.ts';
import type { SignatureScheme } from '../../crypto/signing-types.ts';

/** One row of an address format. */
export type AddressFormat = {
  /** ADDRESS_FORMAT_… */
  name: string;
  /** The curves whose keys have such an address. */
  curves: readonly Curve[];
  /** How a key signs when it is named by such an address; `of-curve`: Ed25519 or ECDSA, as its curve says. */
  signature: SignatureScheme | 'of-curve';
  /** The CAIP-2 namespace of the networks with such addresses, if it is only one. */
  caip2Prefix?: string;
  /** `publicKey`: 33 bytes compressed, or 32 bytes of Ed25519, on one of `curves`. Throws if it is no point of `curve`. */
  encode(publicKey: Uint8Array, curve: Curve): string;
  /** The form under which an address is stored and looked up. Any other text is returned unchanged. */
  normalize(text: string): string;
};
