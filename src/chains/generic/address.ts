import { uncompressed } from '../../crypto/curves.ts';
import type { AddressFormat } from '../address-format.ts';

const lowerHex = (text: string): string => (/^[0-9a-fA-F]+$/.test(text) ? text.toLowerCase() : text);

/** The compressed public key in hex, for chains that have no format of their own here. */
export const compressedAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_COMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'],
  signature: 'of-curve',
  encode: (publicKey) => publicKey.toString('hex'),
  normalize: lowerHex,
};

/** 04 ‖ X ‖ Y in hex. */
export const uncompressedAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_UNCOMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256'],
  signature: 'of-curve',
  encode: (publicKey, curve) => uncompressed(curve as 'CURVE_SECP256K1' | 'CURVE_P256', publicKey).toString('hex'),
  normalize: lowerHex,
};
