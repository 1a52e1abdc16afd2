import { concat, toHex } from '../../base/bytes.ts';
import { sha3256 } from '../../crypto/hash.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { hex32Case } from '../shared/normalize.ts';

/** Aptos's authentication scheme id for a single Ed25519 key. */
const ED25519 = 0x00;

/** The authentication key of a fresh account: 0x and SHA3-256 of public key ‖ scheme, with its leading zeros (AIP-40). */
export const aptosAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_APTOS',
  curves: ['CURVE_ED25519'],
  signature: 'ed25519',
  caip2Prefix: 'aptos',
  encode: (publicKey) => `0x${toHex(sha3256(concat([publicKey, Uint8Array.of(ED25519)])))}`,
  normalize: hex32Case,
};
