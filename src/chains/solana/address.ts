import { base58 } from '@scure/base';
import type { AddressFormat } from '../shared/address-format.ts';
import { asWritten } from '../shared/normalize.ts';

/** The public key in base58. */
export const solanaAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_SOLANA',
  curves: ['CURVE_ED25519'],
  signature: 'ed25519',
  caip2Prefix: 'solana',
  encode: (publicKey) => base58.encode(publicKey),
  normalize: asWritten,
};
