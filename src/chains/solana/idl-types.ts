import { isObject } from '../../base/json.ts';
import { distinct, IdlError, type IdlObject, listAt, memberOf, nameAt, objectAt, quote } from './idl-shape.ts';

export type IdlAtom = 'bool' | 'bytes' | 'string' | 'pubkey' | `${'u' | 'i'}${8 | 16 | 32 | 64 | 128}` | 'f32' | 'f64';

/** The type of a value. `defined`: refers to one of the IDL's types by name. */
export type IdlType =
  | { kind: 'atom'; atom: IdlAtom }
  | { kind: 'vec' | 'option'; of: IdlType }
  | { kind: 'array'; of: IdlType; length: number }
  | { kind: 'defined'; name: string };

/** Arguments, or the fields of a struct or variant. The fields of a tuple are not `named`. */
export type Fields = { named: boolean; items: readonly { name: string; type: IdlType }[] };

export type Definition =
  | { kind: 'struct'; fields: Fields }
  | { kind: 'enum'; variants: readonly { name: string; fields: Fields }[] }
  | { kind: 'alias'; of: IdlType };

/** The types that the instructions use, directly or within others. */
export type Definitions = ReadonlyMap<string, Definition>;

const integers = [8, 16, 32, 64, 128].flatMap((bits) => [`u${bits}`, `i${bits}`] as IdlAtom[]);
const atoms = new Map<string, IdlAtom>([
  ...([...integers, 'bool', 'bytes', 'string', 'pubkey', 'f32', 'f64'] as const).map((atom) => [atom, atom] as const),
  ['publicKey', 'pubkey'],
]);

const DEEPEST = 16;
const LONGEST_ARRAY = 65_535;
const MOST_TYPES = 512;
/** An enum's tag is one byte. */
const MOST_VARIANTS = 256;

/** `string`, `{ vec }`, `{ option }`, `{ array: [type, length] }`, `{ defined: name }` or `{ defined: { name } }`. */
function parseType(value: unknown, at: string, depth = 0): IdlType {
  if (depth > DEEPEST) throw new IdlError(`${at}: is nested deeper than ${DEEPEST} levels`);
  if (typeof value === 'string') {
    const atom = atoms.get(value);
    if (atom === undefined) throw new IdlError(`${at}: unknown type ${quote(value)}`);
    return { kind: 'atom', atom };
  }
  if (!isObject(value)) throw new IdlError(`${at}: must be a type's name or an object`);
  const [kind, ...more] = Object.keys(value);
  if (kind === undefined || more.length > 0) throw new IdlError(`${at}: must have exactly one member`);
  const of = value[kind];
  switch (kind) {
    case 'vec':
    case 'option':
      return { kind, of: parseType(of, `${at}.${kind}`, depth + 1) };
    case 'array':
      return parseArray(of, `${at}.array`, depth + 1);
    case 'defined':
      return { kind, name: typeof of === 'string' ? of : definedName(of, `${at}.defined`) };
    default:
      throw new IdlError(`${at}: the kind of type ${quote(kind)} is not supported`);
  }
}

function parseArray(value: unknown, at: string, depth: number): IdlType {
  const [of, length, ...more] = Array.isArray(value) ? value : [];
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 0 || length > LONGEST_ARRAY || more.length > 0) {
    throw new IdlError(`${at}: must be a type and a length up to ${LONGEST_ARRAY}`);
  }
  return { kind: 'array', of: parseType(of, `${at}[0]`, depth), length };
}

function definedName(value: unknown, at: string): string {
  const object = objectAt(value, at);
  refuseGenerics(object, at);
  return nameAt(object, at);
}

function refuseGenerics(object: IdlObject, at: string): void {
  const generics = memberOf(object, 'generics');
  if (generics !== undefined && !(Array.isArray(generics) && generics.length === 0)) {
    throw new IdlError(`${at}.generics: generic types are not supported`);
  }
}

/** A list of `{ name, type }`, or of types only, which is a tuple. */
export function parseFields(list: readonly unknown[], at: string): Fields {
  const named = list.every((item) => isObject(item) && Object.hasOwn(item, 'name'));
  const items = list.map((item, i) => {
    const place = `${at}[${i}]`;
    if (!named) return { name: String(i), type: parseType(item, place) };
    const field = objectAt(item, place);
    return { name: nameAt(field, place), type: parseType(memberOf(field, 'type'), `${place}.type`) };
  });
  const names = items.map(({ name }) => name);
  distinct(names, at);
  return { named, items };
}

/** Fields that may be left out: a unit struct, or a variant without any. */
const optionalFields = (object: IdlObject, at: string): Fields =>
  memberOf(object, 'fields') === undefined
    ? { named: true, items: [] }
    : parseFields(listAt(object, 'fields', at), `${at}.fields`);

function parseDefinition(entry: IdlObject, at: string): Definition {
  refuseGenerics(entry, at);
  const serialization = memberOf(entry, 'serialization') ?? 'borsh';
  if (serialization !== 'borsh') throw new IdlError(`${at}.serialization: only borsh is supported`);
  const place = `${at}.type`;
  const type = objectAt(memberOf(entry, 'type'), place);
  const kind = memberOf(type, 'kind');
  switch (kind) {
    case 'struct':
      return { kind, fields: optionalFields(type, place) };
    case 'enum':
      return { kind, variants: parseVariants(listAt(type, 'variants', place), `${place}.variants`) };
    case 'alias':
      return { kind, of: parseType(memberOf(type, 'value'), `${place}.value`) };
    case 'type':
      return { kind: 'alias', of: parseType(memberOf(type, 'alias'), `${place}.alias`) };
    default:
      throw new IdlError(`${place}.kind: must be struct, enum, alias or type`);
  }
}

function parseVariants(list: readonly unknown[], at: string): { name: string; fields: Fields }[] {
  if (list.length > MOST_VARIANTS) throw new IdlError(`${at}: are more than ${MOST_VARIANTS}`);
  const variants = list.map((item, i) => {
    const variant = objectAt(item, `${at}[${i}]`);
    return { name: nameAt(variant, `${at}[${i}]`), fields: optionalFields(variant, `${at}[${i}]`) };
  });
  const names = variants.map(({ name }) => name);
  distinct(names, at);
  return variants;
}

/** The names of defined types within a type. */
function namesIn(type: IdlType): string[] {
  if (type.kind === 'atom') return [];
  return type.kind === 'defined' ? [type.name] : namesIn(type.of);
}

/** The defined types that every value of the type contains: a vec or an option may be empty. */
function neededBy(type: IdlType): string[] {
  if (type.kind === 'defined') return [type.name];
  return type.kind === 'array' && type.length > 0 ? neededBy(type.of) : [];
}

/** The member types of each form that a value may have. */
function formsOf(definition: Definition): IdlType[][] {
  if (definition.kind === 'alias') return [[definition.of]];
  const forms = definition.kind === 'struct' ? [definition.fields] : definition.variants.map(({ fields }) => fields);
  return forms.map(({ items }) => items.map(({ type }) => type));
}

/**
 * The definitions that `roots` need. Others are not checked: an IDL also describes accounts and events, with types that
 * arguments cannot have. `at`: the root's place.
 */
export function parseDefinitions(types: readonly unknown[], roots: readonly { type: IdlType; at: string }[]): Definitions {
  const entries = types.map((entry, i) => objectAt(entry, `types[${i}]`));
  const names = entries.map((entry, i) => nameAt(entry, `types[${i}]`));
  distinct(names, 'types');
  const places = new Map(names.map((name, i) => [name, i]));
  const definitions = new Map<string, Definition>();
  const open = roots.flatMap(({ type, at }) => namesIn(type).map((name) => ({ name, at })));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { name, at } = next;
    if (definitions.has(name)) continue;
    const place = places.get(name);
    if (place === undefined) throw new IdlError(`${at}: unknown type ${quote(name)}`);
    if (definitions.size === MOST_TYPES) throw new IdlError(`types: more than ${MOST_TYPES} are used by instructions`);
    const definition = parseDefinition(entries[place]!, `types[${place}]`);
    definitions.set(name, definition);
    const within = formsOf(definition).flat().flatMap(namesIn);
    open.push(...[...new Set(within)].map((each) => ({ name: each, at: `types[${place}].type` })));
  }
  const bad = endless(definitions);
  if (bad !== undefined) throw new IdlError(`types[${places.get(bad)}]: contains itself without end`);
  return definitions;
}

/** A type that has no finite value. Each round finds types with a form that needs only types known to be finite. */
function endless(definitions: Definitions): string | undefined {
  const finite = new Set<string>();
  const forms = (definition: Definition) => formsOf(definition).map((form) => new Set(form.flatMap(neededBy)));
  let rest = [...definitions].reverse().map(([name, definition]) => ({ name, forms: forms(definition) }));
  const known = (needed: ReadonlySet<string>) => [...needed].every((name) => finite.has(name));
  for (let before = -1; before !== finite.size; ) {
    before = finite.size;
    for (const { name, forms } of rest) if (forms.some(known)) finite.add(name);
    rest = rest.filter(({ name }) => !finite.has(name));
  }
  return rest[0]?.name;
}
