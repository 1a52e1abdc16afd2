import { base58xrp } from '@scure/base';
import { concat } from '../../base/bytes.ts';
import { hash160, sha256 } from '../../crypto/hash.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { asWritten } from '../shared/normalize.ts';

/** Type prefix of an account id; encodes as the leading r. */
const ACCOUNT = 0x00;

/** The HASH160 of the key in base58check, with the XRP Ledger's own alphabet. */
export const xrpAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_XRP',
  curves: ['CURVE_SECP256K1'],
  signature: 'ecdsa',
  caip2Prefix: 'xrpl',
  encode(publicKey) {
    const body = concat([Uint8Array.of(ACCOUNT), hash160(publicKey)]);
    return base58xrp.encode(concat([body, sha256(sha256(body)).subarray(0, 4)]));
  },
  normalize: asWritten,
};
