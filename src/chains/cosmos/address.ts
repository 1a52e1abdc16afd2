import { bech32 } from '@scure/base';
import { hash160 } from '../../crypto/hash.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { bech32Case } from '../shared/normalize.ts';

/** Chains of the Cosmos SDK: bech32 of the HASH160 of the compressed key. */
export const cosmosAddresses: readonly AddressFormat[] = [
  { name: 'ADDRESS_FORMAT_COSMOS', prefix: 'cosmos' },
  { name: 'ADDRESS_FORMAT_SEI', prefix: 'sei' },
].map(({ name, prefix }) => ({
  name,
  curves: ['CURVE_SECP256K1'] as const,
  signature: 'ecdsa' as const,
  caip2Prefix: 'cosmos',
  encode: (publicKey: Uint8Array) => bech32.encode(prefix, bech32.toWords(hash160(publicKey))),
  normalize: bech32Case(prefix),
}));
