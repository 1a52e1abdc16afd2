import { WORDS } from './words.ts';

/** A text is no share, or shares do not fit each other. The message holds no part of them. */
export class ShareError extends Error {
  override readonly name = 'ShareError';
}

/** What all shares of one set have in common. `identifier`: 15 bits. Key stretching takes 10,000 · 2^`exponent` rounds. */
export type SetParts = {
  identifier: number;
  extendable: boolean;
  exponent: number;
  groupThreshold: number;
  groupCount: number;
};

/** A share of SLIP-0039. `index`: from 0. `threshold`: how many members of its group are needed. */
export type Share = SetParts & { groupIndex: number; index: number; threshold: number; value: Buffer };

const NUMBERS: ReadonlyMap<string, number> = new Map(WORDS.map((word, number) => [word, number]));
/** Words before the value, and those of the checksum. */
const HEAD = 4;
const CHECKSUM = 3;
/** A value of 16 bytes, and one of 64. */
const SHORTEST = 20;
const LONGEST = 59;

const GENERATOR = [
  0xe0e040, 0x1c1c080, 0x3838100, 0x7070200, 0xe0e0009, 0x1c0c2412, 0x38086c24, 0x3090fc48, 0x21b1f890, 0x3f3f120,
];

/** The Reed-Solomon code over 1024 symbols. It is 1 for a whole share. */
function polymod(extendable: boolean, numbers: readonly number[]): number {
  let sum = 1;
  for (const number of [...Buffer.from(extendable ? 'shamir_extendable' : 'shamir'), ...numbers]) {
    const top = sum >> 20;
    sum = ((sum & 0xfffff) << 10) ^ number;
    for (const [bit, term] of GENERATOR.entries()) sum ^= term & -((top >> bit) & 1);
  }
  return sum;
}

/** Numbers of 10 bits as bytes. Undefined if the padding in front is too long, or not zero. */
function bytesOf(numbers: readonly number[]): Buffer | undefined {
  const padding = (numbers.length * 10) % 16;
  if (padding > 8 || numbers[0]! >> (10 - padding) !== 0) return undefined;
  const value = Buffer.alloc((numbers.length * 10 - padding) / 8);
  let [rest, bits, at] = [0, -padding, 0];
  for (const number of numbers) {
    rest = (rest << 10) | number;
    for (bits += 10; bits >= 8; bits -= 8) value[at++] = rest >> (bits - 8);
    rest &= (1 << bits) - 1;
  }
  return value;
}

function numbersOf(value: Uint8Array): number[] {
  const count = Math.ceil((value.length * 8) / 10);
  const numbers: number[] = [];
  let [rest, bits] = [0, count * 10 - value.length * 8];
  for (const byte of value) {
    rest = (rest << 8) | byte;
    bits += 8;
    if (bits < 10) continue;
    bits -= 10;
    numbers.push(rest >> bits);
    rest &= (1 << bits) - 1;
  }
  return numbers;
}

export function shareText({ identifier, extendable, exponent, groupIndex, groupThreshold, groupCount, ...own }: Share): string {
  const place = (groupIndex << 6) | ((groupThreshold - 1) << 2) | ((groupCount - 1) >> 2);
  const member = (((groupCount - 1) & 3) << 8) | (own.index << 4) | (own.threshold - 1);
  const flags = ((identifier & 31) << 5) | (Number(extendable) << 4) | exponent;
  const numbers = [identifier >> 5, flags, place, member, ...numbersOf(own.value)];
  const sum = polymod(extendable, [...numbers, 0, 0, 0]) ^ 1;
  return [...numbers, sum >> 20, (sum >> 10) & 1023, sum & 1023].map((number) => WORDS[number]).join(' ');
}

/** Reads the words of a share, in any case and with any spaces. The caller wipes its value. Throws ShareError. */
export function readShare(text: string): Share {
  const words = text
    .trim()
    .toLowerCase()
    .split(/\s+/, LONGEST + 1);
  if (words.length < SHORTEST || words.length > LONGEST)
    throw new ShareError(
      `a share has 33 words for a key of 32 bytes, and this text has ${words.length > LONGEST ? 'more' : words.length}`,
    );
  const numbers = words.map((word, at) => {
    const number = NUMBERS.get(word);
    if (number === undefined) throw new ShareError(`word ${at + 1} is not in the list of SLIP-0039`);
    return number;
  });
  const [high, flags, place, member] = numbers as [number, number, number, number];
  const extendable = ((flags >> 4) & 1) === 1;
  if (polymod(extendable, numbers) !== 1) throw new ShareError('the checksum of the share is wrong: compare its words');
  const value = bytesOf(numbers.slice(HEAD, -CHECKSUM));
  const groupThreshold = ((place >> 2) & 15) + 1;
  const groupCount = (((place & 3) << 2) | (member >> 8)) + 1;
  if (value === undefined || groupThreshold > groupCount) throw new ShareError('the share is malformed');
  return {
    identifier: (high << 5) | (flags >> 5),
    extendable,
    exponent: flags & 15,
    groupIndex: place >> 6,
    groupThreshold,
    groupCount,
    index: (member >> 4) & 15,
    threshold: (member & 15) + 1,
    value,
  };
}

/** Whether two shares are of one set. */
export const isOfSameSet = (a: SetParts, b: SetParts): boolean =>
  (['identifier', 'extendable', 'exponent', 'groupThreshold', 'groupCount'] as const).every((part) => a[part] === b[part]);
