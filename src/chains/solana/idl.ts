import { toHex, utf8 } from '../../base/bytes.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { Lru } from '../../base/lru.ts';
import { sha256 } from '../../crypto/hash.ts';
import { distinct, IdlError, type IdlObject, listAt, memberOf, nameAt, objectAt } from './idl-shape.ts';
import { type Definitions, type Fields, parseDefinitions, parseFields } from './idl-types.ts';
import { type IdlValue, valueReader } from './idl-values.ts';

/** An instruction decoded by an IDL; see SolanaParsedInstruction in policy-types.ts. */
export type ParsedInstruction = {
  instruction_name: string;
  discriminator: string;
  named_accounts: { readonly [name: string]: string };
  program_call_args: { readonly [name: string]: IdlValue };
};

/** An instruction of `program`. All keys in base58, or the placeholder of an unknown key. */
export type InstructionInput = { program: string; accounts: readonly string[]; data: Uint8Array };

type Account = { name: string; optional: boolean };
type IdlInstruction = { name: string; discriminator: string; accounts: readonly Account[]; args: Fields };

/** `lengths`: the discriminators' lengths in hex digits, longest first. */
type Idl = { byDiscriminator: ReadonlyMap<string, IdlInstruction>; lengths: readonly number[]; definitions: Definitions };

const LONGEST_DISCRIMINATOR = 32;
const MOST_ACCOUNTS = 256;
/** In characters, with the names of its groups. */
const LONGEST_ACCOUNT = 256;
const DEEPEST_GROUP = 16;
const JSON_LIMITS = { depth: 48, keys: 50_000 };

/** A name in snake_case, as the toolchain of such IDLs converts it: `initializeV2Pool` → `initialize_v2_pool`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** The given bytes, or those that Anchor derives: the first eight of SHA-256("global:" + name). In hex. */
function discriminatorOf(instruction: IdlObject, name: string, at: string): string {
  const given = memberOf(instruction, 'discriminator');
  if (given === undefined) return toHex(sha256(utf8(`global:${snakeCase(name)}`)).subarray(0, 8));
  const bytes: readonly unknown[] = Array.isArray(given) ? given : [];
  const fits = (byte: unknown) => typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte <= 255;
  if (bytes.length === 0 || bytes.length > LONGEST_DISCRIMINATOR || !bytes.every(fits)) {
    throw new IdlError(`${at}.discriminator: must be 1 to ${LONGEST_DISCRIMINATOR} bytes`);
  }
  return toHex(Uint8Array.from(bytes as number[]));
}

/** Accounts of a group are named `group.account`. */
function parseAccounts(list: readonly unknown[], at: string, prefix = '', depth = 0): Account[] {
  if (depth > DEEPEST_GROUP) throw new IdlError(`${at}: is nested deeper than ${DEEPEST_GROUP} levels`);
  const accounts = list.flatMap((item, i) => {
    const place = `${at}[${i}]`;
    const account = objectAt(item, place);
    const name = `${prefix}${nameAt(account, place)}`;
    if (name.length > LONGEST_ACCOUNT) throw new IdlError(`${place}: has a name of more than ${LONGEST_ACCOUNT} characters`);
    if (Object.hasOwn(account, 'accounts')) {
      return parseAccounts(listAt(account, 'accounts', place), `${place}.accounts`, `${name}.`, depth + 1);
    }
    return [{ name, optional: memberOf(account, 'isOptional') === true || memberOf(account, 'optional') === true }];
  });
  if (accounts.length > MOST_ACCOUNTS) throw new IdlError(`${at}: are more than ${MOST_ACCOUNTS}`);
  return accounts;
}

function parseInstruction(value: unknown, at: string): IdlInstruction {
  const instruction = objectAt(value, at);
  const name = nameAt(instruction, at);
  const accounts = parseAccounts(listAt(instruction, 'accounts', at), `${at}.accounts`);
  const names = accounts.map((account) => account.name);
  distinct(names, `${at}.accounts`);
  const args = parseFields(listAt(instruction, 'args', at), `${at}.args`);
  if (!args.named) throw new IdlError(`${at}.args: each must have a name`);
  return { name, discriminator: discriminatorOf(instruction, name, at), accounts, args };
}

/** Throws IdlError. */
function compile(value: unknown): Idl {
  if (!isObject(value)) throw new IdlError('must be an IDL: an object with the lists instructions and types');
  const types = listAt(value, 'types', '');
  const instructions = listAt(value, 'instructions', '').map((each, i) => parseInstruction(each, `instructions[${i}]`));
  const names = instructions.map(({ name }) => name);
  distinct(names, 'instructions');
  const byDiscriminator = new Map<string, IdlInstruction>();
  instructions.forEach((instruction, i) => {
    if (byDiscriminator.has(instruction.discriminator)) {
      throw new IdlError(`instructions[${i}]: another instruction has the same discriminator`);
    }
    byDiscriminator.set(instruction.discriminator, instruction);
  });
  const roots = instructions.flatMap(({ args }, i) =>
    args.items.map(({ type }, j) => ({ type, at: `instructions[${i}].args[${j}].type` })),
  );
  const lengths = [...new Set([...byDiscriminator.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return { byDiscriminator, lengths, definitions: parseDefinitions(types, roots) };
}

function compileOrSay(value: unknown): { idl: Idl } | { problem: string } {
  try {
    return { idl: compile(value) };
  } catch (error) {
    if (error instanceof IdlError) return { problem: error.message };
    throw error;
  }
}

/** Why and where a JSON value is no IDL that can decode all its instructions; undefined if it is one. */
export function idlProblem(value: unknown): string | undefined {
  const result = compileOrSay(value);
  return 'problem' in result ? result.problem : undefined;
}

const compiled = new Lru<Idl>(32);

function idlOf(text: string): Idl {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const parsed = parseJson(utf8(text), JSON_LIMITS);
  const result = 'value' in parsed ? compileOrSay(parsed.value) : { problem: parsed.error };
  if ('problem' in result) throw new Error(`a stored interface is not an IDL: ${result.problem}`);
  compiled.set(text, result.idl);
  return result.idl;
}

/**
 * Decodes an instruction by an IDL (Anchor's, in its older or newer format, as JSON text). Undefined if no discriminator matches.
 * Throws if the text is no IDL.
 * - The discriminator is a prefix of the data; the longest match counts.
 * - Bytes after the arguments are ignored, as Anchor ignores them.
 * - Accounts beyond those of the instruction have no name. Optional accounts that are the program itself have none either: this is
 *   Anchor's form of an absent account.
 * - If the arguments cannot be read, they are empty and the name stays. A policy that reads an argument then fails, and a policy
 *   that denies by name still denies.
 */
export function decodeInstruction(text: string, { program, accounts, data }: InstructionInput): ParsedInstruction | undefined {
  const idl = idlOf(text);
  const start = toHex(data.subarray(0, LONGEST_DISCRIMINATOR));
  const length = idl.lengths.find((each) => each <= start.length && idl.byDiscriminator.has(start.slice(0, each)));
  const instruction = length === undefined ? undefined : idl.byDiscriminator.get(start.slice(0, length));
  if (instruction === undefined) return undefined;
  const args = valueReader(idl.definitions, data.subarray(instruction.discriminator.length / 2))(instruction.args);
  const named = instruction.accounts.flatMap(({ name, optional }, i): [string, string][] => {
    const key = accounts[i];
    return key === undefined || (optional && key === program) ? [] : [[name, key]];
  });
  return {
    instruction_name: instruction.name,
    discriminator: instruction.discriminator,
    named_accounts: Object.fromEntries(named),
    program_call_args: (args ?? {}) as { readonly [name: string]: IdlValue },
  };
}
