import { toHex } from '../../base/bytes.ts';
import type { DigestCurve } from '../../crypto/curve-type.ts';
import { uncompressed } from '../../crypto/points.ts';
import type { AddressFormat } from '../shared/address-format.ts';

const keyCase = (digits: RegExp) => (text: string) => (digits.test(text) ? text.toLowerCase() : text);

/** The public key in hex, 33 bytes or 32 of Ed25519, for chains without a format of their own here. */
export const compressedAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_COMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'],
  signature: 'of-curve',
  encode: (publicKey) => toHex(publicKey),
  normalize: keyCase(/^(?:0[23])?[0-9a-fA-F]{64}$/),
};

/** 04 ‖ X ‖ Y in hex. */
export const uncompressedAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_UNCOMPRESSED',
  curves: ['CURVE_SECP256K1', 'CURVE_P256'],
  signature: 'of-curve',
  encode: (publicKey, curve) => toHex(uncompressed(curve as DigestCurve, publicKey)),
  normalize: keyCase(/^04[0-9a-fA-F]{128}$/),
};
