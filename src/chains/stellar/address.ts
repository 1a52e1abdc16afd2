import { base32nopad } from '@scure/base';
import { concat } from '../../base/bytes.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { crc16 } from '../shared/crc16.ts';
import { asWritten } from '../shared/normalize.ts';

/** SEP-23: an account's public key; encodes as the leading G. */
const ACCOUNT = 6 << 3;

/** StrKey (SEP-23): base32 of version ‖ public key ‖ CRC-16, least significant byte first. */
export const stellarAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_XLM',
  curves: ['CURVE_ED25519'],
  signature: 'ed25519',
  caip2Prefix: 'stellar',
  encode(publicKey) {
    const body = concat([Uint8Array.of(ACCOUNT), publicKey]);
    const checksum = crc16(body);
    return base32nopad.encode(concat([body, Uint8Array.of(checksum & 0xff, checksum >> 8)]));
  },
  normalize: asWritten,
};
