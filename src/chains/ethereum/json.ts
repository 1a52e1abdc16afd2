import { utf8 } from '../../base/bytes.ts';
import { isObject, type JsonLimits, parseJson } from '../../base/json.ts';

/** JSON in which every whole number is a bigint, so that none loses digits; 1.5 and 1e3 stay numbers. */
export type ExactJson = null | boolean | number | bigint | string | ExactJson[] | ExactObject;
export type ExactObject = { [key: string]: ExactJson };

export type Refuse = (why: string) => Error;

const LIMITS: JsonLimits = { depth: 32, keys: 20_000 };
const LONGEST = 1 << 18;

/** `context`: ECMA-262 "JSON.parse source text access". */
function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Parses a payload as a JSON object: limited in size, no key twice, no digit lost. `refuse` makes the error that is thrown. */
export function parsePayloadObject(text: string, members: string, refuse: Refuse): ExactObject {
  if (text.length > LONGEST) throw refuse(`must be JSON of at most ${LONGEST} characters`);
  if (!text.isWellFormed()) throw refuse('must be JSON: holds a lone surrogate');
  const parsed = parseJson(utf8(text), LIMITS);
  if ('error' in parsed) throw refuse(`must be JSON: ${parsed.error}`);
  const value = JSON.parse(text, exact) as ExactJson;
  if (!isObject(value)) throw refuse(`must be a JSON object { ${members} }`);
  return value;
}

/** An own member, or undefined. */
export function member(object: ExactObject, name: string): ExactJson | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const WHOLE = /^(?:-?\d{1,80}|0x[0-9a-fA-F]{1,64})$/;

/** A whole number, given as a JSON number, decimal text or 0x hex text. */
export function wholeNumber(value: ExactJson | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && WHOLE.test(value) ? BigInt(value) : undefined;
}

/** Whether the number fits uint<bits>, or int<bits> if `signed`. */
export function fits(value: bigint, bits: number, signed: boolean): boolean {
  return (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
}
