import { base58 } from '@scure/base';

type Random = (n: number) => number;
type Json = { [key: string]: unknown };

export const some = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));

const integer = (bytes: number, value: bigint): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 255n)));
const sized = (bytes: Uint8Array): Buffer => Buffer.concat([integer(4, BigInt(bytes.length)), bytes]);
const float = (bytes: 4 | 8, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 4) buffer.writeFloatLE(value);
  else buffer.writeDoubleLE(value);
  return buffer;
};

/** A random type, a value of it as policies see it, and its bytes, written here by the words of https://borsh.io. */
type Made = { type: unknown; make: (random: Random) => { value: unknown; bytes: Buffer } };

function someAtom(random: Random): Made {
  const kind = random(6);
  if (kind === 0) {
    const [bits, signed] = [8 << random(5), random(2) === 0];
    const make = (random: Random) => {
      const bytes = some(random, bits / 8);
      const raw = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
      return { value: signed ? BigInt.asIntN(bits, raw) : raw, bytes };
    };
    return { type: `${signed ? 'i' : 'u'}${bits}`, make };
  }
  if (kind === 1) {
    const flag = (random: Random) => ({ value: random(2) === 1 });
    return { type: 'bool', make: (random) => ((made) => ({ ...made, bytes: Buffer.of(Number(made.value)) }))(flag(random)) };
  }
  if (kind === 2) {
    const make = (random: Random) =>
      ((bytes) => ({ value: bytes.toString('hex'), bytes: sized(bytes) }))(some(random, random(9)));
    return { type: 'bytes', make };
  }
  if (kind === 3) {
    const make = (random: Random) => ((bytes) => ({ value: base58.encode(bytes), bytes }))(some(random, 32));
    return { type: random(2) ? 'pubkey' : 'publicKey', make };
  }
  if (kind === 4) {
    const make = (random: Random) => ((value) => ({ value, bytes: sized(Buffer.from(value)) }))('a\u0000é🙂'.slice(0, random(4)));
    return { type: 'string', make };
  }
  const size = random(2) ? 4 : 8;
  const make = (random: Random) => ((value) => ({ value: String(value), bytes: float(size, value) }))(random(1000) / 8 - 50);
  return { type: `f${size * 8}`, make };
}

export const all = (parts: readonly Made[]) => (random: Random) => {
  const made = parts.map(({ make }) => make(random));
  return { values: made.map(({ value }) => value), bytes: Buffer.concat(made.map(({ bytes }) => bytes)) };
};

/** Fields of a struct or a variant: named, a tuple, or none. */
function someFields(random: Random, types: Json[], depth: number) {
  const parts = Array.from({ length: random(4) }, () => someType(random, types, depth + 1));
  const named = parts.length === 0 || random(2) === 0;
  const fields = parts.map(({ type }, i) => (named ? { name: `f${i}`, type } : type));
  const make = (random: Random) => {
    const { values, bytes } = all(parts)(random);
    return { value: named ? Object.fromEntries(values.map((value, i) => [`f${i}`, value])) : values, bytes };
  };
  return { ...(parts.length === 0 && random(2) ? {} : { fields }), empty: parts.length === 0, make };
}

function define(random: Random, types: Json[], depth: number): Made {
  const name = `some::T${types.length}`;
  const place = types.push({}) - 1;
  const write = (type: Json) => {
    types[place] = { name, type };
    return random(2) ? { defined: name } : { defined: { name } };
  };
  const kind = random(3);
  if (kind === 0) {
    const { type, make } = someType(random, types, depth + 1);
    return { type: write(random(2) ? { kind: 'alias', value: type } : { kind: 'type', alias: type }), make };
  }
  if (kind === 1) {
    const { make, empty: _, ...fields } = someFields(random, types, depth);
    return { type: write({ kind: 'struct', ...fields }), make };
  }
  const variants = Array.from({ length: 1 + random(4) }, (_, i) => ({ name: `V${i}`, ...someFields(random, types, depth) }));
  const type = write({ kind: 'enum', variants: variants.map(({ make: _, empty: __, ...variant }) => variant) });
  const make = (random: Random) => {
    const tag = random(variants.length);
    const { value, bytes } = variants[tag]!.make(random);
    const { name, empty } = variants[tag]!;
    return { value: empty ? { kind: name } : { kind: name, fields: value }, bytes: Buffer.concat([Buffer.of(tag), bytes]) };
  };
  return { type, make };
}

export function someType(random: Random, types: Json[], depth = 0): Made {
  if (depth > 3) return someAtom(random);
  switch (random(6)) {
    case 0: {
      const of = someAtom(random);
      const make = (random: Random) => {
        const { values, bytes } = all(Array(random(4)).fill(of))(random);
        return { value: values, bytes: Buffer.concat([integer(4, BigInt(values.length)), bytes]) };
      };
      return { type: { vec: of.type }, make };
    }
    case 1: {
      const of = someType(random, types, depth + 1);
      const length = random(4);
      const make = (random: Random) =>
        ((made) => ({ value: made.values, bytes: made.bytes }))(all(Array(length).fill(of))(random));
      return { type: { array: [of.type, length] }, make };
    }
    case 2: {
      const of = someType(random, types, depth + 1);
      const make = (random: Random) => {
        if (random(2)) return { value: null, bytes: Buffer.of(0) };
        const { value, bytes } = of.make(random);
        return { value, bytes: Buffer.concat([Buffer.of(1), bytes]) };
      };
      return { type: { option: of.type }, make };
    }
    case 3:
      return someAtom(random);
    default:
      return define(random, types, depth);
  }
}
