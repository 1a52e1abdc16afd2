/**
 * A value in the encoding of the Contract ABI Specification, as hex digits. It is a word in its place, or `dynamic` data with an
 * offset in its place.
 */
export type Encoded = string | { readonly dynamic: string };

const WORD_DIGITS = 64;

/** `value`: 0 or more, below 2^256. */
export function encodeNumber(value: bigint | number): string {
  const digits = value.toString(16);
  if (digits.length > WORD_DIGITS || digits.startsWith('-'))
    throw new Error('a number of an ABI must be 0 or more and below 2^256');
  return digits.padStart(WORD_DIGITS, '0');
}

/** `address`: 0x and 40 hex digits. */
export const encodeAddress = (address: string): string => address.slice(2).toLowerCase().padStart(WORD_DIGITS, '0');

/** `data`: 0x and hex. */
export function encodeBytes(data: string): Encoded {
  const digits = data.slice(2).toLowerCase();
  const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0');
  return { dynamic: encodeNumber(digits.length / 2) + padded };
}

/** Arguments, or the members of a tuple. */
export function encodeTuple(members: readonly Encoded[]): string {
  let heads = '';
  let tails = '';
  for (const member of members) {
    if (typeof member === 'string') heads += member;
    else {
      heads += encodeNumber(32 * members.length + tails.length / 2);
      tails += member.dynamic;
    }
  }
  return heads + tails;
}

/** A list of any length. */
export const encodeList = (items: readonly Encoded[]): Encoded => ({ dynamic: encodeNumber(items.length) + encodeTuple(items) });
