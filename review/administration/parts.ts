import type { Json } from '../../src/base/json.ts';
import { fact, fieldsOf, member, type Parameters } from '../parts.ts';
import type { Fact, FactKind, Now, Warning } from '../types.ts';
import { visible } from '../visible.ts';

const warning =
  (level: Warning['level']) =>
  (code: string, text: string, at?: string): Warning => ({ code, level, text, ...(at !== undefined && { at }) });

export const red = warning('red');
export const amber = warning('amber');

const kindOf = (text: string): FactKind => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? 'id' : 'text');

/** A name of the service beside an id. */
const noteOf = (value: string, now: Now | undefined): Partial<Fact> => {
  const name = now?.names?.get(value.toLowerCase());
  return name === undefined ? {} : { note: `“${visible(name)}”, as the service says` };
};

/** A fact about a thing that the service may name. */
export const named = (label: string, value: string, now: Now | undefined): Fact =>
  fact(label, value, kindOf(value), noteOf(value, now));

export const camelCase = (path: string): string => path.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Every parameter by its path, apart from those whose paths begin with one of `shown`. */
export function otherFacts(of: Json, now: Now | undefined, shown: readonly string[] = []): Fact[] {
  const isShown = (path: string) =>
    shown.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`));
  return [...fieldsOf(of, '')].filter(({ path }) => !isShown(camelCase(path))).map(({ path, value }) => named(path, value, now));
}

export const sentence = (kind: string): string => {
  const text = kind
    .replace(/^COUNTERSIGN_/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The members of an object in another. Empty if there is none. */
export function objectIn(of: Parameters, name: string): Parameters {
  const value = member(of, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parameters) : {};
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** A number of seconds in words. Any other text as it is. */
export function durationText(seconds: string): string {
  if (!/^[1-9]\d{0,11}$/.test(seconds)) return `${seconds} seconds`;
  const count = Number(seconds);
  const [of, word] = UNITS.find(([size]) => count % size === 0) ?? ([1, 'second'] as const);
  return count === of ? `1 ${word}` : `${count / of} ${word}s`;
}

/** Present values that the activity removes. */
export const ending = (facts: readonly Fact[]): Fact[] => facts.map((each) => ({ ...each, before: each.value, value: '' }));
