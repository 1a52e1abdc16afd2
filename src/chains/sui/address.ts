import { blake2b } from '@noble/hashes/blake2.js';
import { concat, toHex } from '../../base/bytes.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { hex32Case } from '../shared/normalize.ts';

/** Sui's signature scheme flag for Ed25519. */
const ED25519 = 0x00;

/** 0x and BLAKE2b-256 of flag ‖ public key. */
export const suiAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_SUI',
  curves: ['CURVE_ED25519'],
  signature: 'ed25519',
  caip2Prefix: 'sui',
  encode: (publicKey) => `0x${toHex(blake2b(concat([Uint8Array.of(ED25519), publicKey]), { dkLen: 32 }))}`,
  normalize: hex32Case,
};
