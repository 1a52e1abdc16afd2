import { base58 } from '@scure/base';
import { fromUtf8, littleEndian, toHex, viewOf } from '../../base/bytes.ts';
import type { Definition, Definitions, Fields, IdlAtom, IdlType } from './idl-types.ts';

/**
 * A value as policies see it:
 * - integers as bigints, floats as text;
 * - keys in base58, bytes as lower-case hex without 0x;
 * - an empty option as null;
 * - structs as maps by field, tuples and arrays as lists;
 * - enums as `{ kind, fields }` with the variant's name and, if it has any, its fields.
 */
export type IdlValue = boolean | bigint | string | null | readonly IdlValue[] | { readonly [name: string]: IdlValue };

type Cursor = { readonly bytes: Uint8Array; at: number; values: number; depth: number };

/** The most values that the data may contain. Some values take no bytes, so several are allowed for each byte. */
const mostValues = (bytes: number) => Math.min(64 + 8 * bytes, 10_000);
const DEEPEST = 16;

type NumberReader = { size: number; read(bytes: Uint8Array): IdlValue | undefined };

const unsigned = (bytes: Uint8Array) => BigInt(`0x${toHex(new Uint8Array(bytes).reverse())}`);
const float = (value: number) => (Number.isNaN(value) ? undefined : String(value));

/** All are little-endian. */
const numbers: { [atom in IdlAtom]?: NumberReader } = {
  f32: { size: 4, read: (bytes) => float(viewOf(bytes).getFloat32(0, true)) },
  f64: { size: 8, read: (bytes) => float(viewOf(bytes).getFloat64(0, true)) },
};
for (const bits of [8, 16, 32, 64, 128] as const) {
  numbers[`u${bits}`] = { size: bits / 8, read: unsigned };
  numbers[`i${bits}`] = { size: bits / 8, read: (bytes) => BigInt.asIntN(bits, unsigned(bytes)) };
}

function take(cursor: Cursor, length: number): Uint8Array | undefined {
  if (length > cursor.bytes.length - cursor.at) return undefined;
  const start = cursor.at;
  cursor.at += length;
  return cursor.bytes.subarray(start, cursor.at);
}

const byte = (cursor: Cursor): number | undefined => take(cursor, 1)?.[0];
function u32(cursor: Cursor): number | undefined {
  const bytes = take(cursor, 4);
  return bytes && littleEndian(bytes, 0, 4);
}

function prefixed(cursor: Cursor): Uint8Array | undefined {
  const length = u32(cursor);
  return length === undefined ? undefined : take(cursor, length);
}

function flag(cursor: Cursor): boolean | undefined {
  const value = byte(cursor);
  return value === undefined || value > 1 ? undefined : value === 1;
}

function readAtom(atom: IdlAtom, cursor: Cursor): IdlValue | undefined {
  const number = numbers[atom];
  if (number !== undefined) {
    const bytes = take(cursor, number.size);
    return bytes && number.read(bytes);
  }
  if (atom === 'bool') return flag(cursor);
  const bytes = atom === 'pubkey' ? take(cursor, 32) : prefixed(cursor);
  if (bytes === undefined) return undefined;
  if (atom === 'pubkey') return base58.encode(bytes);
  if (atom === 'bytes') return toHex(bytes);
  return fromUtf8(bytes);
}

/**
 * Reads values in Borsh (https://borsh.io), as strictly as programs do: a flag is 0 or 1, text is UTF-8, a float is not NaN.
 * Returns undefined for data that a program would refuse. Also beyond 10,000 values, 64 plus 8 for each byte, or 16 levels.
 */
export function valueReader(definitions: Definitions, data: Uint8Array): (fields: Fields) => IdlValue | undefined {
  const cursor: Cursor = { bytes: data, at: 0, values: 0, depth: 0 };
  const most = mostValues(data.length);

  function value(type: IdlType): IdlValue | undefined {
    if (++cursor.values > most || cursor.depth >= DEEPEST) return undefined;
    if (type.kind === 'atom') return readAtom(type.atom, cursor);
    cursor.depth++;
    const read = composite(type);
    cursor.depth--;
    return read;
  }

  function composite(type: Exclude<IdlType, { kind: 'atom' }>): IdlValue | undefined {
    switch (type.kind) {
      case 'defined':
        return defined(definitions.get(type.name)!);
      case 'array':
        return list(type.of, type.length);
      case 'vec': {
        // Elements of a Borsh vector take at least one byte, so a length beyond the data is refused immediately.
        const length = u32(cursor);
        return length === undefined || length > data.length - cursor.at ? undefined : list(type.of, length);
      }
      case 'option': {
        const some = flag(cursor);
        return some === true ? value(type.of) : some === false ? null : undefined;
      }
    }
  }

  function list(type: IdlType, length: number): IdlValue[] | undefined {
    const values: IdlValue[] = [];
    for (let i = 0; i < length; i++) {
      const item = value(type);
      if (item === undefined) return undefined;
      values.push(item);
    }
    return values;
  }

  function defined(definition: Definition): IdlValue | undefined {
    if (definition.kind === 'alias') return value(definition.of);
    if (definition.kind === 'struct') return fields(definition.fields);
    const variant = definition.variants[byte(cursor) ?? -1];
    if (variant === undefined) return undefined;
    if (variant.fields.items.length === 0) return { kind: variant.name };
    const own = fields(variant.fields);
    return own === undefined ? undefined : { kind: variant.name, fields: own };
  }

  function fields({ named, items }: Fields): IdlValue | undefined {
    const values: [string, IdlValue][] = [];
    for (const { name, type } of items) {
      const item = value(type);
      if (item === undefined) return undefined;
      values.push([name, item]);
    }
    return named ? Object.fromEntries(values) : values.map(([, item]) => item);
  }

  return fields;
}
