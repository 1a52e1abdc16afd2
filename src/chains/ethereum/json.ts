import { type Json, parseJson } from '../../base/json.ts';

const LIMITS = { depth: 48, keys: 20_000 };

type Refuse = (why: string) => Error;

/** A whole number that a JSON number cannot hold exactly keeps its digits, as a bigint. */
function lossless(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** JSON text inside a payload: bounded, no key twice, no precision lost. */
export function payloadJson(text: string, refuse: Refuse): Json {
  const parsed = parseJson(Buffer.from(text, 'utf8'), LIMITS);
  if ('error' in parsed) throw refuse(`must be JSON: ${parsed.error}`);
  return JSON.parse(text, lossless) as Json;
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A whole number of 0 … 2^bits − 1, given as a JSON number, a decimal string or a 0x string. */
export function unsigned(value: unknown, bits: number): bigint | undefined {
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
  if (!/^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) return undefined;
  const number = BigInt(text);
  return number < 1n << BigInt(bits) ? number : undefined;
}
