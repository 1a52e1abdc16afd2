import { hexBytes, toHex, utf8 } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { Value } from '../../policy/index.ts';
import { type AbiType, arrayOf, decodeArguments, elementary, tupleOf } from './abi-values.ts';

export type CompiledFunction = { name: string; types: readonly AbiType[]; names: readonly string[] };

type CompiledAbi = ReadonlyMap<string, CompiledFunction>;

export type Entry = { type?: unknown; name?: unknown; inputs?: unknown };

const SIZES = Array.from({ length: 32 }, (_, i) => 8 * (i + 1)).join('|');
const ELEMENTARY = new RegExp(`^(?:address|bool|string|function|bytes(?:[1-9]|[12]\\d|3[0-2])?|u?int(?:${SIZES})?)$`);
/** No array of size zero and no empty tuple. Every element then takes bytes of the data, which bounds the work of decoding. */
const ARRAYS = /(?:\[(?:[1-9]\d{0,4})?\]){1,8}$/;
const DEEPEST = 16;

/** `signature`: as in the function's signature. */
type ReadParameter = { signature: string; type: AbiType };

/** `arrays`: such as `[2][]`, which is a list of pairs. */
function within(type: AbiType, arrays: string): AbiType {
  const counts = [...arrays.matchAll(/\[(\d*)\]/g)].map(([, count]) => (count === '' ? undefined : Number(count)));
  return counts.reduce<AbiType>(arrayOf, type);
}

/** A parameter, or the reason why it is invalid. */
function readParameter(given: unknown, where: string, depth = 0): ReadParameter | string {
  const { type, components } = (given ?? {}) as { type?: unknown; components?: unknown };
  if (typeof type !== 'string') return `${where}.type must be a text`;
  if (depth > DEEPEST) return `${where} is nested deeper than ${DEEPEST} tuples`;
  const arrays = ARRAYS.exec(type)?.[0] ?? '';
  const base = type.slice(0, type.length - arrays.length);
  if (base !== 'tuple') {
    if (!ELEMENTARY.test(base)) return `${where}.type: ${JSON.stringify(type.slice(0, 40))} is not an ABI type`;
    const name = base.replace(/^u?int$/, '$&256');
    return { signature: name + arrays, type: within(elementary(name), arrays) };
  }
  if (!Array.isArray(components) || components.length === 0) return `${where}.components must be a list of the tuple’s members`;
  const inner = readParameters(components, `${where}.components`, depth + 1);
  if (typeof inner === 'string') return inner;
  return {
    signature: `(${inner.map(({ signature }) => signature).join(',')})${arrays}`,
    type: within(tupleOf(inner.map(({ type }) => type)), arrays),
  };
}

function readParameters(list: readonly unknown[], where: string, depth: number): ReadParameter[] | string {
  const read: ReadParameter[] = [];
  for (const [i, given] of list.entries()) {
    const parameter = readParameter(given, `${where}[${i}]`, depth);
    if (typeof parameter === 'string') return parameter;
    read.push(parameter);
  }
  return read;
}

/** A function, or an error: both have a name and inputs. A text says why it is invalid. */
export function compileFunction({ name, inputs = [] }: Entry, where: string): (CompiledFunction & { selector: string }) | string {
  if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]{0,255}$/.test(name)) return `${where}.name must be an identifier`;
  if (!Array.isArray(inputs)) return `${where}.inputs must be a list`;
  const read = readParameters(inputs, `${where}.inputs`, 0);
  if (typeof read === 'string') return read;
  // Policies name an unnamed parameter by its position.
  const names = inputs.map(({ name }, i) => (typeof name === 'string' && name !== '' ? name : String(i)));
  if (new Set(names).size !== names.length) return `${where}.inputs: two of them have the same name`;
  const signature = `${name}(${read.map((parameter) => parameter.signature).join(',')})`;
  const selector = `0x${toHex(keccak256(utf8(signature)).subarray(0, 4))}`;
  return { name, names, types: read.map(({ type }) => type), selector };
}

/** `abi`: parsed JSON. */
function compile(abi: unknown): CompiledAbi | string {
  if (!Array.isArray(abi)) return 'must be a JSON ABI: a list of objects';
  const functions = new Map<string, CompiledFunction>();
  for (const [i, entry] of (abi as Entry[]).entries()) {
    if (typeof entry !== 'object' || entry === null) return `[${i}] must be an object, as in a JSON ABI`;
    const { type = 'function' } = entry;
    if (typeof type !== 'string') return `[${i}].type must be a text`;
    if (type !== 'function') continue;
    const compiled = compileFunction(entry, `[${i}]`);
    if (typeof compiled === 'string') return compiled;
    const { selector } = compiled;
    const other = functions.get(selector);
    if (other && other.name !== compiled.name)
      return `[${i}]: ${compiled.name} and ${other.name} have the same selector ${selector}`;
    functions.set(selector, compiled);
  }
  return functions;
}

/** Why this parsed JSON is no valid ABI (Contract ABI Specification, "JSON"); undefined if it is valid. */
export function abiProblem(abi: unknown): string | undefined {
  const compiled = compile(abi);
  return typeof compiled === 'string' ? compiled : undefined;
}

const compiled = new Lru<CompiledAbi>(64);

function abiOf(text: string): CompiledAbi {
  const known = compiled.get(text);
  if (known) return known;
  const made = compile(JSON.parse(text));
  if (typeof made === 'string') throw new Error(`a stored interface is not an ABI: ${made}`);
  compiled.set(text, made);
  return made;
}

/**
 * `function_name` and `contract_call_args` of call data. Without an interface that has the selector, both are empty. If a compiler
 * would not write these arguments, they are empty and the name stays. A policy that reads an argument then fails, and a policy that
 * denies by name still denies. Bytes after the arguments are ignored, as contracts ignore them. `data`: 0x and lower-case hex.
 */
export function decodeCall(
  data: `0x${string}`,
  interfaceText: string | undefined,
): { function_name: string; contract_call_args: Value } {
  const called = interfaceText === undefined ? undefined : abiOf(interfaceText).get(data.slice(0, 10));
  if (!called) return { function_name: '', contract_call_args: {} };
  const { name, types, names } = called;
  const values = decodeArguments(types, hexBytes(data.slice(10)));
  if (values === undefined) return { function_name: name, contract_call_args: {} };
  const args: Record<string, Value> = Object.create(null);
  for (const [i, argument] of names.entries()) args[argument] = values[i]!;
  return { function_name: name, contract_call_args: args };
}
