import { isObject } from '../../base/json.ts';
import { type Atom, atoms } from './eip712-atoms.ts';
import { type ExactJson, member, type Refuse } from './json.ts';

/** A field's type: `base`, in arrays of the given lengths, innermost first; null for any length. */
export type FieldType = { text: string; base: Atom | string; lengths: readonly (number | null)[] };
export type Field = { name: string; type: FieldType };
/** The struct types by name. Every name in use is defined. */
export type StructTypes = ReadonlyMap<string, readonly Field[]>;

const MOST_TYPES = 128;
const MOST_FIELDS = 512;
const MOST_DIMENSIONS = 8;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/;
/** Names of the standard. Names such as `Hyperliquid:Send` are allowed only for types that use no other structs. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LOOSE_NAME = /^[A-Za-z_$][A-Za-z0-9_$:.]{0,127}$/;
const FIELD_TYPE = /^([A-Za-z_][A-Za-z0-9_]{0,127})((?:\[\d{0,6}\])*)$/;

function parseFieldType(text: string, defined: ReadonlySet<string>, refuse: (why: string) => Error): FieldType {
  const [, name = '', suffix = ''] = FIELD_TYPE.exec(text) ?? [];
  const lengths = [...suffix.matchAll(/\[(\d*)\]/g)].map(([, length]) => (length === '' ? null : Number(length)));
  if (lengths.length > MOST_DIMENSIONS) throw refuse(`has more than ${MOST_DIMENSIONS} array dimensions`);
  const base = atoms.get(name) ?? (defined.has(name) ? name : undefined);
  if (base !== undefined) return { text, base, lengths };
  if (name === 'uint' || name === 'int') throw refuse(`${name} is not an EIP-712 type: write ${name}256`);
  throw refuse(`unknown type ${JSON.stringify(text.slice(0, 140))}`);
}

function parseFields(owner: string, list: ExactJson | undefined, defined: ReadonlySet<string>, refuse: Refuse): Field[] {
  if (!Array.isArray(list)) throw refuse(`types.${owner} must be a list of { name, type }`);
  const seen = new Set<string>();
  return list.map((entry) => {
    const name = isObject(entry) ? member(entry, 'name') : undefined;
    const text = isObject(entry) ? member(entry, 'type') : undefined;
    if (typeof name !== 'string' || !IDENTIFIER.test(name)) throw refuse(`types.${owner} has a field without a valid name`);
    if (typeof text !== 'string') throw refuse(`types.${owner}.${name} has no type`);
    if (seen.has(name)) throw refuse(`types.${owner} names ${name} twice`);
    seen.add(name);
    const type = parseFieldType(text, defined, (why) => refuse(`types.${owner}.${name}: ${why}`));
    // Existing encoders disagree on which types the hash of such a type covers.
    if (typeof type.base === 'string' && !PLAIN_NAME.test(owner)) {
      throw refuse(`types.${owner}: a type may hold other structs only if its name has only letters, digits and _`);
    }
    return { name, type };
  });
}

/** Reads `types`. Every name must be valid and defined once. */
export function parseStructTypes(value: ExactJson | undefined, refuse: Refuse): StructTypes {
  if (!isObject(value)) throw refuse('types must be an object');
  const names = Object.keys(value);
  if (names.length > MOST_TYPES) throw refuse(`types must define at most ${MOST_TYPES} types`);
  for (const name of names) {
    if (!LOOSE_NAME.test(name) || atoms.has(name))
      throw refuse(`types: ${JSON.stringify(name.slice(0, 140))} cannot be a struct's name`);
  }
  const defined = new Set(names.filter((name) => PLAIN_NAME.test(name)));
  let count = 0;
  return new Map(
    names.map((name) => {
      const fields = parseFields(name, value[name], defined, refuse);
      count += fields.length;
      if (count > MOST_FIELDS) throw refuse(`types must have at most ${MOST_FIELDS} fields in total`);
      return [name, fields] as const;
    }),
  );
}

function collect(types: StructTypes, name: string, into: Set<string>): Set<string> {
  if (into.has(name)) return into;
  into.add(name);
  for (const { type } of types.get(name)!) if (typeof type.base === 'string') collect(types, type.base, into);
  return into;
}

/** The type itself, then the types that it uses, by name. */
export function encodeType(types: StructTypes, name: string): string {
  const used = [...collect(types, name, new Set())].slice(1).sort();
  const written = [name, ...used].map(
    (each) =>
      `${each}(${types
        .get(each)!
        .map((field) => `${field.type.text} ${field.name}`)
        .join(',')})`,
  );
  return written.join('');
}
