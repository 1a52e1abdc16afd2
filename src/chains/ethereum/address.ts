import { keccak_256 } from '@noble/hashes/sha3.js';
import { uncompressed } from '../../crypto/curves.ts';
import type { AddressFormat } from '../address-format.ts';

/** The mixed-case checksum of ERC-55. `hex`: 40 lower-case digits. */
function checksummed(hex: string): string {
  const digest = Buffer.from(keccak_256(Buffer.from(hex))).toString('hex');
  let text = '0x';
  for (const [i, digit] of [...hex].entries()) text += Number.parseInt(digest[i]!, 16) >= 8 ? digit.toUpperCase() : digit;
  return text;
}

export const ethereumAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_ETHEREUM',
  curves: ['CURVE_SECP256K1'],
  signature: 'ecdsa',
  encode: (publicKey) => checksummed(Buffer.from(keccak_256(uncompressed('CURVE_SECP256K1', publicKey).subarray(1))).toString('hex', 12)),
  normalize: (text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? checksummed(text.slice(2).toLowerCase()) : text),
};
