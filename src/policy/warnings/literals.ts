import { textKey } from '../evaluate/values.ts';
import type { TextShape } from '../language/shapes.ts';
import { nearest } from '../language/suggest.ts';
import type { TextForm } from '../language/types.ts';

const LONGEST_SHOWN = 80;

export function quoted(text: string): string {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return shown.includes("'") ? `"${shown}"` : `'${shown}'`;
}

const patterns = new Map<string, RegExp>();

/** Whether the text, in any case if its form ignores case, matches the whole pattern. */
function matches(pattern: string, text: string, form: TextForm): boolean {
  const flags = form === 'caseless' ? 'i' : '';
  const key = `${flags}:${pattern}`;
  let compiled = patterns.get(key);
  if (compiled === undefined) {
    compiled = new RegExp(`^(?:${pattern})$`, flags);
    patterns.set(key, compiled);
  }
  return compiled.test(text);
}

const keysOf = new WeakMap<readonly string[], Map<TextForm, ReadonlySet<string>>>();

/** Whether the text is in a list of names. The list may be long, and is searched often. */
function isAmong(text: string, values: readonly string[], form: TextForm): boolean {
  const forms = keysOf.get(values) ?? new Map<TextForm, ReadonlySet<string>>();
  keysOf.set(values, forms);
  const keys = forms.get(form) ?? new Set(values.map((value) => textKey(value, form)));
  forms.set(form, keys);
  return keys.has(textKey(text, form));
}

/** Whether a value of the shape can equal the text. */
export function fits(text: string, shape: TextShape, form: TextForm): boolean {
  const { values, pattern, judged } = shape;
  if (values !== undefined) return isAmong(text, values, form);
  if (typeof form === 'object') return text === '' || form.key(text) !== undefined;
  if (pattern === undefined || (judged !== undefined && !matches(judged, text, form))) return true;
  return matches(pattern, textKey(text, form), form);
}

/** The end of a name that counts its versions: `_V2`, or `_1` as in `TYPE_1`. */
const VERSION = /_(V?)\d+$/;

/**
 * The name of a closed list that a text was most likely meant to be. Ignoring blanks and case, it is at most two letters away,
 * or one in a short text. Never suggested for another version of a known name: a later release may have it.
 */
export function misspelt(text: string, { values = [] }: TextShape): string | undefined {
  const bare = text.trim();
  if (bare !== text && values.includes(bare)) return bare;
  const [end, style] = VERSION.exec(bare) ?? [''];
  const stem = bare.slice(0, bare.length - end.length);
  const hasVersions = style !== undefined && values.some((value) => VERSION.exec(value)?.[1] === style);
  if (hasVersions && values.some((value) => value.replace(VERSION, '') === stem)) return undefined;
  return nearest(bare, values, bare.length < 4 ? 0 : bare.length < 8 ? 1 : 2);
}

/** A correction for a text that does not fit, or a description of the texts that do. */
export function advice(text: string, shape: TextShape, form: TextForm): string {
  const bare = text.trim();
  if (bare !== text && bare !== '' && fits(bare, shape, form)) return `leave out the blanks: ${quoted(bare)}`;
  const { values = [] } = shape;
  const others = [bare.toLowerCase(), bare.toUpperCase(), `0x${bare}`, bare.replace(/^0x/i, '')];
  const longer = values.filter((value) => bare !== '' && value.startsWith(bare));
  const better =
    others.find((other) => other !== text && other !== '' && fits(other, { ...shape, judged: ANYTHING }, form)) ??
    (longer.length === 1 ? longer[0] : nearest(text, values));
  if (better !== undefined) return `did you mean ${quoted(better)}?`;
  return values.length <= 12 ? `it is ${shape.is}` : `it is none of the ${values.length} possible values`;
}

const ANYTHING = '[^]*';
