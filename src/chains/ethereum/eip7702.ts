import { concat } from '../../base/bytes.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { HEX_ADDRESS } from './address.ts';
import { fits, member, parsePayloadObject, type Refuse, wholeNumber } from './json.ts';
import { rlpOfNumber, writeRlp } from './rlp.ts';

const MAGIC = Uint8Array.of(0x05);

/** An account's authorization to run another contract's code (EIP-7702). `address`: lower case. */
export type Authorization = { chainId: bigint; address: `0x${string}`; nonce: bigint };

/** Reads a JSON text `{ chainId, address, nonce }`. Chain id 0 means every chain. `refuse` makes the error that is thrown. */
export function parseAuthorization(text: string, refuse: Refuse): Authorization {
  const data = parsePayloadObject(text, 'chainId, address, nonce', refuse);
  const number = (name: string, bits: number): bigint => {
    const value = wholeNumber(member(data, name));
    if (value === undefined || !fits(value, bits, false)) throw refuse(`${name} must be a whole number below 2^${bits}`);
    return value;
  };
  const address = member(data, 'address');
  if (typeof address !== 'string' || !HEX_ADDRESS.test(address)) throw refuse('address must be 0x and 40 hex digits');
  return { chainId: number('chainId', 256), address: address.toLowerCase() as `0x${string}`, nonce: number('nonce', 64) };
}

/** keccak256(0x05 ‖ rlp([chainId, address, nonce])) (EIP-7702): 32 bytes. */
export function authorizationDigest({ chainId, address, nonce }: Authorization): Uint8Array {
  return keccak256(concat([MAGIC, writeRlp([rlpOfNumber(chainId), address, rlpOfNumber(nonce)])]));
}

/** The digest of such a JSON text. */
export const eip7702Digest = (text: string, refuse: Refuse): Uint8Array => authorizationDigest(parseAuthorization(text, refuse));
