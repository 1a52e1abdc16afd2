import { fromUtf8 } from './bytes.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type JsonLimits = {
  depth: number;
  keys: number;
  /** Refuses U+0000, which PostgreSQL cannot store in text. */
  storable?: true;
};

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

type Shape = { keys: number } | { error: string };

/**
 * Scans the structure outside strings: nesting depth, and the number of keys (colons).
 * Refuses keys with an escape sequence, because V8 may read a different key (nodejs/node#63785).
 */
function shapeOf(text: string, limits: JsonLimits): Shape {
  let depth = 0;
  let keys = 0;
  let backslash = text.indexOf('\\');
  let escaped = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      const end = endOfString(text, i);
      if (end < 0) return { error: 'unterminated string' };
      escaped = backslash >= 0 && backslash < end;
      if (escaped) backslash = text.indexOf('\\', end);
      i = end;
    } else if (c === COLON) {
      if (escaped) return { error: 'a key must be written without escape sequences' };
      if (++keys > limits.keys) return { error: `more than ${limits.keys} fields` };
    } else if (c === 123 || c === 91) {
      if (++depth > limits.depth) return { error: `nested deeper than ${limits.depth} levels` };
    } else if (c === 125 || c === 93) depth--;
  }
  return { keys };
}

/** The index of the closing quote of the string that begins at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** Counts the keys after parsing. `escaped`: also looks for characters that need an escape sequence. */
function inspect(value: Json, escaped: boolean): { keys: number; lone: boolean; nul: boolean; proto: boolean } {
  const seen = { keys: 0, lone: false, nul: false, proto: false };
  const walk = (node: Json): void => {
    if (typeof node === 'string') {
      if (escaped && !node.isWellFormed()) seen.lone = true;
      if (escaped && node.includes('\0')) seen.nul = true;
    } else if (Array.isArray(node)) {
      for (const item of node) walk(item);
    } else if (typeof node === 'object' && node !== null) {
      const own = Object.keys(node);
      seen.keys += own.length;
      for (const key of own) {
        if (key === '__proto__') seen.proto = true;
        walk(node[key] as Json);
      }
    }
  };
  walk(value);
  return seen;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return text[at] === ':';
}

/** The first duplicate key in an object. Called only if the counts differ. */
function duplicateKey(text: string): string {
  const open: { keys: Set<string> | undefined }[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{') open.push({ keys: new Set() });
    else if (c === '[') open.push({ keys: undefined });
    else if (c === '}' || c === ']') open.pop();
    else if (c === '"') {
      const start = i;
      i = endOfString(text, start);
      if (isFollowedByColon(text, i + 1)) {
        const key = JSON.parse(text.slice(start, i + 1)) as string;
        const keys = open.at(-1)?.keys;
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
    }
  }
  return '?';
}

/**
 * Parses a request body (RFC 8259). Returns the reason instead of throwing. It is stricter than JSON.parse:
 * - UTF-8 only
 * - bounded depth and field count
 * - no duplicate keys
 * - no keys with escape sequences
 * - no `__proto__`
 * - no lone surrogates
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits): { value: Json } | { error: string } {
  const text = fromUtf8(bytes);
  if (text === undefined) return { error: 'not valid UTF-8' };
  const shape = shapeOf(text, limits);
  if ('error' in shape) return shape;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    // V8's message quotes the body, which may contain a secret. So only the position is returned.
    const position = /position (\d+)/.exec(String(error));
    return { error: position ? `not valid JSON at position ${position[1]}` : 'not valid JSON' };
  }
  const seen = inspect(value, text.includes('\\u'));
  if (seen.lone) return { error: 'a string holds a lone surrogate' };
  if (seen.nul && limits.storable) return { error: 'a string holds the character U+0000: send binary data in hex' };
  if (seen.proto) return { error: 'the key "__proto__" is not allowed' };
  if (seen.keys !== shape.keys) return { error: `duplicate key "${duplicateKey(text)}"` };
  return { value };
}

/** A copy without null members, because on this wire null means absent. Null array elements stay. */
export function dropNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  const out: { [key: string]: Json } = {};
  for (const [key, member] of Object.entries(value)) if (member !== null) out[key] = dropNulls(member);
  return out;
}
