import { hexBytes } from '../../src/base/bytes.ts';
import { Lru } from '../../src/base/lru.ts';
import { compileFunction, type Entry } from '../../src/chains/ethereum/abi.ts';
import { decodeArguments } from '../../src/chains/ethereum/abi-values.ts';
import type { Value } from '../../src/policy/index.ts';
import { SIGNATURES } from './signatures.ts';

/** A parameter as in a JSON ABI. */
export type Input = { readonly name: string; readonly type: string; readonly components?: readonly Input[] };

export type Known = {
  readonly text: string;
  readonly name: string;
  readonly inputs: readonly Input[];
  decode(data: string): Value[] | undefined;
};

/** The parts of a list at its top level. */
function parts(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      found.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return text.trim() === '' ? [] : [...found, text.slice(start).trim()];
}

function inputOf(text: string): Input {
  const at = text.lastIndexOf(' ');
  const [type, name] = [text.slice(0, at), text.slice(at + 1)];
  if (!type.startsWith('(')) return { type, name };
  const end = type.lastIndexOf(')');
  return { type: `tuple${type.slice(end + 1)}`, name, components: parts(type.slice(1, end)).map(inputOf) };
}

const typeText = ({ type, components }: Input): string =>
  components === undefined ? type : `(${components.map(parameterText).join(', ')})${type.slice('tuple'.length)}`;
const parameterText = (input: Input): string => `${typeText(input)} ${input.name ?? ''}`.trim();

function knownOf(entry: Entry): [selector: string, Known] | undefined {
  const compiled = compileFunction(entry, '');
  if (typeof compiled === 'string') return undefined;
  const { name, names, types, selector } = compiled;
  const inputs = ((entry.inputs ?? []) as Input[]).map((input, i) => ({ ...input, name: names[i]! }));
  const text = `${name}(${inputs.map(parameterText).join(', ')})`;
  return [selector, { text, name, inputs, decode: (data) => decodeArguments(types, hexBytes(data.slice(10))) }];
}

const builtIn: ReadonlyMap<string, Known> = new Map(
  SIGNATURES.map((signature) => {
    const open = signature.indexOf('(');
    return knownOf({ name: signature.slice(0, open), inputs: parts(signature.slice(open + 1, -1)).map(inputOf) })!;
  }),
);

/** The functions of an interface, as JSON text. A text that is no ABI has none. */
function functionsOf(abi: string): ReadonlyMap<string, Known> {
  let entries: unknown;
  try {
    entries = JSON.parse(abi);
  } catch {}
  const functions = (Array.isArray(entries) ? (entries as (Entry | null)[]) : []).filter(
    (entry) => entry !== null && (entry.type ?? 'function') === 'function',
  );
  return new Map(functions.flatMap((entry) => [knownOf(entry!)].filter((known) => known !== undefined)));
}

/** A batch calls the same contract again and again. */
const compiled = new Lru<ReadonlyMap<string, Known>>(32);

function interfaceOf(abi: string): ReadonlyMap<string, Known> {
  const known = compiled.get(abi);
  if (known !== undefined) return known;
  const made = functionsOf(abi);
  compiled.set(abi, made);
  return made;
}

/** An interface of the service may be false, so the functions that are known here come first. `data`: 0x and lower-case hex. */
export function functionOf(data: string, abi: string | undefined): { known: Known; byService: boolean } | undefined {
  const selector = data.slice(0, 10);
  const own = builtIn.get(selector);
  if (own !== undefined) return { known: own, byService: false };
  const known = abi === undefined ? undefined : interfaceOf(abi).get(selector);
  return known && { known, byService: true };
}
