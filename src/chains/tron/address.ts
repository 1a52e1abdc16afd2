import { ethereumAccount } from '../ethereum/address.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { toBase58check } from '../shared/base58check.ts';
import { asWritten } from '../shared/normalize.ts';

/** Ethereum's 20 bytes in base58check with version 0x41. */
export const tronAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_TRON',
  curves: ['CURVE_SECP256K1'],
  signature: 'ecdsa',
  caip2Prefix: 'tron',
  encode: (publicKey) => toBase58check(0x41, ethereumAccount(publicKey)),
  normalize: asWritten,
};
