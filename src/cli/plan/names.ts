import { nearest } from '../../base/nearest.ts';
import type { Wanted } from './files.ts';
import type { Place } from './place.ts';
import type { Live } from './state.ts';

const NAME = /\{\{\s*(user|tag|wallet):\s*([^{}]*?)\s*\}\}/g;

/** The id of `user:Ann`. Of what the plan creates, a placeholder, which the id in the service's answer replaces. */
export type Ids = Map<string, string>;

const PLACEHOLDER = /00000000-0000-0000-8000-[0-9a-f]{12}/g;

/** Ids that no service gives: the version of a UUID is never 0. */
export const placeholder = (digits: string): string => `00000000-0000-0000-8000-${digits.padStart(12, '0')}`;

type Found = { kind: string; id: string };

export type Names = {
  ids: Ids;
  /** What cannot be looked up, with its place. */
  wrong: string[];
  /** Looks up the names in a text that are replaced later. */
  check(text: string, place: Place): void;
  /** The same for all texts in a value. */
  checkAll(value: unknown, place: (path: readonly PropertyKey[]) => Place): void;
  tag(name: string, place: Place): string;
  /** A user whom the files name. */
  user(name: string): string;
};

export function namesOf({ tags, users }: Pick<Wanted, 'tags' | 'users'>, live: Live): Names {
  const ids: Ids = new Map();
  const wrong: string[] = [];
  const known = new Map<string, Found[]>();
  const add = (key: string, kind: string, id: string) => known.set(key, [...(known.get(key) ?? []), { kind, id }]);
  for (const { id, name } of live.tags) add(`tag:${name}`, 'user tag', id);
  for (const { id, name } of live.users) add(`user:${name}`, 'user', id);
  for (const { id, name } of live.wallets) add(`wallet:${name}`, 'wallet', id);
  let made = 0;
  for (const { name } of tags) if (!known.has(`tag:${name}`)) add(`tag:${name}`, 'user tag', placeholder(String(++made)));
  for (const { name } of users) if (!known.has(`user:${name}`)) add(`user:${name}`, 'user', placeholder(String(++made)));
  for (const { id, name } of live.keyTags) add(`tag:${name}`, 'private key tag', id);

  const lookUp = (kind: string, name: string, place: Place, only?: string): string => {
    const found = (known.get(`${kind}:${name}`) ?? []).filter((each) => only === undefined || each.kind === only);
    if (found.length === 0) {
      const others = [...known.keys()].filter((key) => key.startsWith(`${kind}:`)).map((key) => key.slice(kind.length + 1));
      const meant = nearest(name, others);
      wrong.push(`${place}: there is no ${only ?? kind} "${name}"${meant === undefined ? '' : `: did you mean "${meant}"?`}`);
    }
    if (found.length > 1) {
      const all = found.map((each) => `${each.kind} ${each.id}`).join(', ');
      wrong.push(`${place}: the ${kind} "${name}" is ambiguous: write the id instead of the name (${all})`);
    }
    return found[0]?.id ?? placeholder('0');
  };
  const check = (text: string, place: Place): void => {
    for (const [, kind, name] of text.matchAll(NAME)) ids.set(`${kind}:${name}`, lookUp(kind!, name!, place));
    if (/\{\{|\}\}/.test(text.replace(NAME, '')))
      wrong.push(`${place}: a name is written as {{user:NAME}}, {{tag:NAME}} or {{wallet:NAME}}`);
  };
  const checkAll: Names['checkAll'] = (value, place) => {
    if (typeof value === 'string') check(value, place([]));
    else if (Array.isArray(value)) for (const [i, each] of value.entries()) checkAll(each, (more) => place([i, ...more]));
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) checkAll(each, (more) => place([key, ...more]));
  };
  return {
    ids,
    wrong,
    check,
    checkAll,
    tag: (name, place) => lookUp('tag', name, place, 'user tag'),
    user: (name) => known.get(`user:${name}`)![0]!.id,
  };
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)])) as T;
}

/** A text, or all texts in a value, with ids for names. */
export const withIds = <T>(value: T, ids: Ids): T =>
  mapTexts(value, (text) => text.replace(NAME, (all, kind: string, name: string) => ids.get(`${kind}:${name}`) ?? all));

/** The same with names for ids, as people read it. */
export function withNames(text: string, ids: Ids): string {
  let shown = text;
  for (const [name, id] of ids) shown = shown.replaceAll(id, `{{${name}}}`);
  return shown;
}

export const placeholdersIn = (value: object): string[] => JSON.stringify(value).match(PLACEHOLDER) ?? [];

/** The same with the ids that the service gave for placeholders. */
export const withLearnt = <T>(value: T, learnt: ReadonlyMap<string, string>): T =>
  mapTexts(value, (text) => text.replace(PLACEHOLDER, (id) => learnt.get(id) ?? id));
