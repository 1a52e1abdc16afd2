import { toHex, utf8 } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { uncompressed } from '../../crypto/points.ts';
import type { AddressFormat } from '../shared/address-format.ts';

/** 0x and 40 hex digits of any case. */
export const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** The mixed-case checksum of ERC-55. `digits`: 40 hex digits, lower case. */
function checksummed(digits: string): string {
  const digest = keccak256(utf8(digits));
  let text = '0x';
  for (let i = 0; i < 40; i++) {
    const nibble = i % 2 === 0 ? digest[i >> 1]! >> 4 : digest[i >> 1]! & 15;
    text += nibble >= 8 ? digits[i]!.toUpperCase() : digits[i]!;
  }
  return text;
}

/** The checksummed address, whatever the case of `text`, which must match HEX_ADDRESS. */
export function toChecksumAddress(text: string): string {
  return checksummed(text.slice(2).toLowerCase());
}

/** Accounts by their public keys. Decompressing a key takes 0.2 ms, as long as a signature. */
const known = new Lru<Uint8Array>(10_000);

/** The last 20 bytes of the Keccak digest of X ‖ Y. `publicKey`: 33 bytes. Throws if it is no point of the curve. */
export function ethereumAccount(publicKey: Uint8Array): Uint8Array {
  const key = toHex(publicKey);
  let account = known.get(key);
  if (account === undefined) {
    account = keccak256(uncompressed('CURVE_SECP256K1', publicKey).subarray(1)).slice(12);
    known.set(key, account);
  }
  return account.slice();
}

export const ethereumAddress: AddressFormat = {
  name: 'ADDRESS_FORMAT_ETHEREUM',
  curves: ['CURVE_SECP256K1'],
  signature: 'ecdsa',
  caip2Prefix: 'eip155',
  encode: (publicKey) => checksummed(toHex(ethereumAccount(publicKey))),
  normalize: (text) => (HEX_ADDRESS.test(text) ? toChecksumAddress(text) : text),
};
