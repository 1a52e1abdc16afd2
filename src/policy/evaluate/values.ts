import type { TextForm, Type } from '../language/types.ts';

/** A point in time, as supplied by the host. */
export type Timestamp = { readonly epochMs: number | bigint };

/** Values that the host may supply. Integers are bigints; a safe integer may be a number. */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Timestamp
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | { readonly [field: string]: Value | undefined };

/** Accepts a host value as `type`, checking only its outermost shape; undefined if it does not fit. */
export function reader(type: Type): (value: unknown) => unknown {
  switch (type.kind) {
    case 'bool':
      return readBool;
    case 'int':
    case 'uint':
      return readInteger;
    case 'string':
      return readText;
    case 'timestamp':
      return readTimestamp;
    case 'list':
      return readList;
    case 'map':
    case 'struct':
      return readObject;
    case 'dynamic':
      return readDynamic;
  }
}

function readBool(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function readObject(value: unknown): object | undefined {
  return isObject(value) ? value : undefined;
}

function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function readDynamic(value: unknown): unknown {
  if (typeof value === 'number') return readInteger(value);
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
}

/** The engine represents a timestamp as milliseconds since the epoch; the elements of a list literal already have this form. */
function readTimestamp(value: unknown): number | undefined {
  const given = isObject(value) ? entryOf(value, 'epochMs') : value;
  const ms = typeof given === 'bigint' ? Number(given) : given;
  return typeof ms === 'number' && Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

/** Maps, plain objects and objects without a prototype; not lists. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An entry of a map or an own property of an object; undefined if there is none. Never reads a prototype. */
export function entryOf(value: object, key: string): unknown {
  if (value instanceof Map) return value.get(key);
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

// Longer than any integer that occurs. Bounds the cost of a conversion.
const decimal = /^-?[0-9]{1,80}$/;

export function decimalValue(text: string): bigint | undefined {
  return decimal.test(text) ? BigInt(text) : undefined;
}

/** A dynamic value as an integer: an integer, or a decimal string. */
export function dynamicInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' ? decimalValue(value) : undefined;
}

const caselessEverywhere = /^(?:0x[0-9a-fA-F]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;
const UUID_LENGTH = 36;
/** UTF-16 code units that become text in one call. */
const AT_ONCE = 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ascii = /^[\x00-\x7f]*$/;

/**
 * Two strings are equal if their keys are. Hexadecimal text after `0x` and UUIDs ignore case everywhere. `hex` strings ignore
 * the case of all their letters, and `caseless` ones that of ASCII letters. A custom form defines its own key.
 */
export function textKey(text: string, form: TextForm): string {
  if (form === 'caseless') return ascii.test(text) ? text.toLowerCase() : asciiLower(text);
  const own = typeof form === 'object' ? form.key(text) : undefined;
  return own ?? ((form === 'hex' ? ascii : caselessEverywhere).test(text) ? text.toLowerCase() : text);
}

/** Only ASCII letters change. One pass: the steps of a comparison do not rise with the number of capitals. */
function asciiLower(text: string): string {
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += AT_ONCE) {
    const units = new Uint16Array(Math.min(AT_ONCE, text.length - from));
    for (let at = 0; at < units.length; at++) {
      const unit = text.charCodeAt(from + at);
      units[at] = unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
    }
    parts.push(String.fromCharCode(...units));
  }
  return parts.join('');
}

export function sameText(a: string, b: string, form: TextForm): boolean {
  if (a === b) return true;
  if (typeof form !== 'object' && a.length !== b.length) return false;
  if (form === 'plain' && !a.startsWith('0x') && a.length !== UUID_LENGTH) return false;
  return textKey(a, form) === textKey(b, form);
}

/** The kind of a dynamic value, for messages. */
export function kindName(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'boolean') return 'a bool';
  return typeof value === 'string' ? 'a string' : 'a map';
}
