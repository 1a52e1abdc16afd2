import { fromUtf8, toHex, viewOf } from '../../base/bytes.ts';
import type { Value } from '../../policy/index.ts';

const WORD = 32;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * A type of the Contract ABI Specification. `size`: the bytes of a static type; undefined for a dynamic one, which has an offset
 * in its place. Every type takes bytes of the data: there are no arrays of size zero and no tuples without members.
 */
export type AbiType = { readonly size: number | undefined } & (
  | { readonly kind: 'word'; read(word: Uint8Array): Value | undefined }
  | { readonly kind: 'bytes' | 'string' }
  | { readonly kind: 'array'; readonly of: AbiType; readonly count: number | undefined }
  | { readonly kind: 'tuple'; readonly members: readonly AbiType[] }
);

const zeros = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const hex = (bytes: Uint8Array) => `0x${toHex(bytes)}`;
const unsigned = (word: Uint8Array) => BigInt(hex(word));

const word = (read: (word: Uint8Array) => Value | undefined): AbiType => ({ kind: 'word', size: WORD, read });

/** `name`: the full name of an elementary type, as in a signature. */
export function elementary(name: string): AbiType {
  if (name === 'bytes' || name === 'string') return { kind: name, size: undefined };
  const [, base, digits] = /^([a-z]+)(\d*)$/.exec(name)!;
  const size = Number(digits);
  switch (base) {
    case 'uint':
      return word((bytes) => (zeros(bytes.subarray(0, WORD - size / 8)) ? unsigned(bytes) : undefined));
    case 'int':
      return word((bytes) => {
        const value = BigInt.asIntN(256, unsigned(bytes));
        return BigInt.asIntN(size, value) === value ? value : undefined;
      });
    case 'bool':
      return word((bytes) => (zeros(bytes.subarray(0, 31)) && bytes[31]! <= 1 ? bytes[31] === 1 : undefined));
    case 'address':
      return word((bytes) => (zeros(bytes.subarray(0, 12)) ? hex(bytes.subarray(12)) : undefined));
    default: {
      // Encoded as bytes24: an address of 20 bytes and a selector of 4.
      const length = base === 'function' ? 24 : size;
      return word((bytes) => (zeros(bytes.subarray(length)) ? hex(bytes.subarray(0, length)) : undefined));
    }
  }
}

export function arrayOf(of: AbiType, count: number | undefined): AbiType {
  return { kind: 'array', of, count, size: count === undefined || of.size === undefined ? undefined : count * of.size };
}

export function tupleOf(members: readonly AbiType[]): AbiType {
  const size = members.reduce<number | undefined>(
    (sum, member) => (sum === undefined || member.size === undefined ? undefined : sum + member.size),
    0,
  );
  return { kind: 'tuple', members, size };
}

/** Never leaves this file. */
const refused = new Error('not what a compiler writes');

class Decoder {
  readonly #data: Uint8Array;
  /** The offset where the next dynamic part must begin. */
  #next = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  #take(at: number, length: number): Uint8Array {
    if (length > this.#data.length - at) throw refused;
    return this.#data.subarray(at, at + length);
  }

  /** A number that can be a length or an offset. */
  #number(at: number): number {
    const bytes = this.#take(at, WORD);
    if (!zeros(bytes.subarray(0, WORD - 4))) throw refused;
    return viewOf(bytes).getUint32(WORD - 4);
  }

  /** Consecutive values from `base` on, then their dynamic parts in the same order. `typeOf`: the type of the i-th value. */
  sequence(count: number, typeOf: (i: number) => AbiType, base: number): Value[] {
    let heads = base;
    // Checked before any value is read: the count may be false.
    for (let i = 0; i < count; i++) {
      heads += typeOf(i).size ?? WORD;
      if (heads > this.#data.length) throw refused;
    }
    this.#next = heads;
    let at = base;
    return Array.from({ length: count }, (_, i) => {
      const type = typeOf(i);
      const place = at;
      at += type.size ?? WORD;
      if (type.size !== undefined) return this.#inPlace(type, place);
      if (base + this.#number(place) !== this.#next) throw refused;
      return this.#dynamic(type, this.#next);
    });
  }

  #inPlace(type: AbiType, at: number): Value {
    if (type.kind === 'word') {
      const value = type.read(this.#take(at, WORD));
      if (value === undefined) throw refused;
      return value;
    }
    const next = this.#next;
    const value = this.#elements(type, at);
    this.#next = next;
    return value;
  }

  #elements(type: AbiType, at: number): Value {
    if (type.kind === 'tuple') return this.sequence(type.members.length, (i) => type.members[i]!, at);
    if (type.kind !== 'array') throw refused;
    return this.sequence(type.count!, () => type.of, at);
  }

  #dynamic(type: AbiType, at: number): Value {
    if (type.kind === 'tuple' || (type.kind === 'array' && type.count !== undefined)) return this.#elements(type, at);
    const length = this.#number(at);
    if (type.kind === 'array') return this.sequence(length, () => type.of, at + WORD);
    const bytes = this.#take(at + WORD, length);
    const padded = Math.ceil(length / WORD) * WORD;
    if (!zeros(this.#take(at + WORD, padded).subarray(length))) throw refused;
    this.#next = at + WORD + padded;
    if (type.kind === 'bytes') return hex(bytes);
    const text = fromUtf8(bytes);
    // Texts that look the same must not differ by invisible bytes.
    if (text === undefined || text.startsWith(BYTE_ORDER_MARK)) throw refused;
    return text;
  }
}

/**
 * Arguments as policies see them. Numbers are bigints, addresses and bytes are 0x and lower-case hex, tuples and arrays are
 * lists.
 * Undefined if the data is not the one encoding of its values (Contract ABI Specification, "Formal Specification of the Encoding").
 * In that encoding every part follows the one before directly, as a compiler places it, and nothing is read twice. Bytes after the
 * arguments are ignored.
 */
export function decodeArguments(types: readonly AbiType[], data: Uint8Array): Value[] | undefined {
  try {
    return new Decoder(data).sequence(types.length, (i) => types[i]!, 0);
  } catch (error) {
    if (error === refused) return undefined;
    throw error;
  }
}
