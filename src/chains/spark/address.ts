import { bech32m } from '@scure/base';
import { concat } from '../../base/bytes.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { bech32Case } from '../shared/normalize.ts';

/** Field 1 of the message SparkAddress, of 33 bytes: the identity public key. */
const IDENTITY_KEY = Uint8Array.of(0x0a, 33);

/** Bech32m of a protobuf message that holds the compressed key. Such an address signs by BIP-340, untweaked. */
export const sparkAddresses: readonly AddressFormat[] = [
  { name: 'ADDRESS_FORMAT_SPARK_MAINNET', prefix: 'spark' },
  { name: 'ADDRESS_FORMAT_SPARK_REGTEST', prefix: 'sparkrt' },
].map(({ name, prefix }) => ({
  name,
  curves: ['CURVE_SECP256K1'] as const,
  signature: 'bip340' as const,
  encode: (publicKey: Uint8Array) => bech32m.encode(prefix, bech32m.toWords(concat([IDENTITY_KEY, publicKey]))),
  normalize: bech32Case(prefix),
}));
