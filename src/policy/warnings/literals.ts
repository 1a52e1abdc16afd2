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

function matches(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    compiled = new RegExp(`^(?:${pattern})$`);
    patterns.set(pattern, compiled);
  }
  return compiled.test(text);
}

/** Whether a value of the shape can equal the text. */
export function fits(text: string, shape: TextShape, form: TextForm): boolean {
  const { values, pattern, judged } = shape;
  if (values !== undefined) return values.some((value) => textKey(value, form) === textKey(text, form));
  if (typeof form === 'object') return text === '' || form.key(text) !== undefined;
  if (pattern === undefined || (judged !== undefined && !matches(judged, text))) return true;
  return matches(pattern, textKey(text, form));
}

/** A correction for a text that does not fit, or a description of those that do. */
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
