import { concat, utf8 } from '../../base/bytes.ts';
import { isObject } from '../../base/json.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { type AtomValue, atoms } from './eip712-atoms.ts';
import { encodeType, type Field, type FieldType, parseStructTypes, type StructTypes } from './eip712-types.ts';
import { type ExactJson, type ExactObject, member, parsePayloadObject, type Refuse } from './json.ts';

export type TypedValue = AtomValue | readonly TypedValue[] | TypedStruct;
export type TypedStruct = { readonly [field: string]: TypedValue };

/** The signed data only: members that no type names are left out. `encodedType`: the text of the message's type that is hashed. */
export type TypedData = {
  primaryType: string;
  encodedType: string;
  domain: TypedStruct;
  message: TypedStruct;
  digest: Uint8Array;
};

const DOMAIN = 'EIP712Domain';
const MOST_VALUES = 10_000;
/** Characters of encodeType over all types: 128 types that use each other would take 16 MB. */
const MOST_HASHED = 262_144;

/** How many characters of types may still be hashed. The payloads of one request share the budget of four. */
export type HashBudget = { left: number };

export const hashBudget = (payloads = 4): HashBudget => ({ left: MOST_HASHED * payloads });

type Read<V extends TypedValue> = { value: V; word: Uint8Array };

/**
 * Reads values by their types. One pass returns each value and its 32 bytes of encodeData, so that policies see exactly the hashed
 * values. Each type is hashed once, so the time is linear.
 */
function reader(
  types: StructTypes,
  refuse: Refuse,
  budget: HashBudget,
): (name: string, object: ExactJson | undefined, at: string) => Read<TypedStruct> {
  const typeHashes = new Map<string, Uint8Array>();
  let values = 0;

  function hashOf(name: string): Uint8Array {
    const known = typeHashes.get(name);
    if (known) return known;
    const encoded = encodeType(types, name);
    budget.left -= encoded.length;
    if (budget.left < 0)
      throw refuse('types that use each other have too much text: each type is hashed with every type that it uses');
    const hash = keccak256(utf8(encoded));
    typeHashes.set(name, hash);
    return hash;
  }

  function struct(name: string, object: ExactJson | undefined, at: string): Read<TypedStruct> {
    if (!isObject(object)) throw refuse(`${at} must be an object of type ${name}`);
    const words = [hashOf(name)];
    const value: { [field: string]: TypedValue } = {};
    for (const field of types.get(name)!) {
      const read = typed(field.type, field.type.lengths.length, member(object, field.name), `${at}.${field.name}`);
      value[field.name] = read.value;
      words.push(read.word);
    }
    return { value, word: keccak256(concat(words)) };
  }

  /** `dimensions`: how many of the type's array lengths, counted from the innermost, still enclose the value. */
  function typed(type: FieldType, dimensions: number, value: ExactJson | undefined, at: string): Read<TypedValue> {
    if (++values > MOST_VALUES) throw refuse(`must hold at most ${MOST_VALUES} values`);
    if (value === undefined || value === null) throw refuse(`${at} is missing`);
    if (dimensions > 0) return list(type, dimensions - 1, value, at);
    if (typeof type.base === 'string') return struct(type.base, value, at);
    const read = type.base.read(value);
    if (read === undefined) throw refuse(`${at} (${type.text}) ${type.base.must}`);
    return read;
  }

  function list(type: FieldType, dimensions: number, value: ExactJson, at: string): Read<readonly TypedValue[]> {
    const length = type.lengths[dimensions]!;
    if (!Array.isArray(value)) throw refuse(`${at} (${type.text}) must be a list`);
    if (length !== null && value.length !== length) throw refuse(`${at} (${type.text}) must be a list of ${length}`);
    const reads = value.map((item, i) => typed(type, dimensions, item, `${at}[${i}]`));
    return { value: reads.map((read) => read.value), word: keccak256(concat(reads.map((read) => read.word))) };
  }

  return struct;
}

/** The fields that a domain may have, in the order of the standard, for payloads that do not define EIP712Domain. */
const domainTypes = new Map([
  ['name', 'string'],
  ['version', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
  ['salt', 'bytes32'],
]);

function domainFields(domain: ExactObject, refuse: Refuse): Field[] {
  const given = Object.keys(domain).filter((name) => domain[name] !== null);
  const unknown = given.find((name) => !domainTypes.has(name));
  if (unknown !== undefined) throw refuse(`domain.${unknown.slice(0, 140)} is in no type: declare it in types.${DOMAIN}`);
  return [...domainTypes]
    .filter(([name]) => given.includes(name))
    .map(([name, text]) => ({ name, type: { text, base: atoms.get(text)!, lengths: [] } }));
}

const NOTHING: Read<TypedStruct> = { value: {}, word: new Uint8Array(0) };

/**
 * Reads a JSON text `{ domain, types, primaryType, message }` and computes its digest (EIP-712). Every value that a type names must
 * be present and fit its type. Whole numbers may be JSON numbers of any size, and lose no digit. `refuse` makes the error that is
 * thrown. Limits: 10,000 values, 256 KiB.
 */
export function readTypedData(text: string, refuse: Refuse, budget: HashBudget = hashBudget(1)): TypedData {
  const data = parsePayloadObject(text, 'domain, types, primaryType, message', refuse);
  const given = parseStructTypes(member(data, 'types'), refuse);
  const domain = member(data, 'domain');
  if (!isObject(domain)) throw refuse('domain must be an object');
  const primaryType = member(data, 'primaryType');
  const types = given.has(DOMAIN) ? given : new Map([...given, [DOMAIN, domainFields(domain, refuse)]]);
  if (typeof primaryType !== 'string' || !types.has(primaryType)) throw refuse('primaryType must name one of the types');
  const read = reader(types, refuse, budget);
  const separator = read(DOMAIN, domain, 'domain');
  // If the domain is the primary type, there is no message, as in viem.
  const message = primaryType === DOMAIN ? NOTHING : read(primaryType, member(data, 'message'), 'message');
  const digest = keccak256(concat([Uint8Array.of(0x19, 0x01), separator.word, message.word]));
  const encodedType = encodeType(types, primaryType);
  return { primaryType, encodedType, domain: separator.value, message: message.value, digest };
}

/** The digest that is signed for such a text: 32 bytes. */
export function eip712Digest(text: string, refuse: Refuse, budget?: HashBudget): Uint8Array {
  return readTypedData(text, refuse, budget).digest;
}
