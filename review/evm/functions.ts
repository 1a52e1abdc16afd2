import { hexBytes } from '../../src/base/bytes.ts';
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
const parameterText = (input: Input): string => `${typeText(input)} ${input.name}`.trim();

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

/** An interface of the service may be false, so the functions that are known here come first. `data`: 0x and lower-case hex. */
export function functionOf(data: string, abi: string | undefined): { known: Known; byService: boolean } | undefined {
  const selector = data.slice(0, 10);
  const known = builtIn.get(selector);
  if (known !== undefined) return { known, byService: false };
  if (abi === undefined || data.length < 10) return undefined;
  const entries: unknown = JSON.parse(abi);
  for (const entry of Array.isArray(entries) ? (entries as (Entry | null)[]) : []) {
    const found = entry === null || (entry.type ?? 'function') !== 'function' ? undefined : knownOf(entry);
    if (found?.[0] === selector) return { known: found[1], byService: true };
  }
  return undefined;
}
