import { isObject, type Json } from '../src/base/json.ts';
import { snakeCase } from '../src/base/names.ts';
import { MEMBERS } from './members.ts';
import type { Parameters } from './parts.ts';

/** What the service reads of a value. `value`: a text, a number or a flag. `any`: all that is there. */
export type Known =
  | 'value'
  | 'any'
  | { readonly members?: Readonly<Record<string, Known>>; readonly elements?: Known; readonly values?: Known };

/** The service takes it out of the parameters of every type. */
const EVERYWHERE = ['generateAppProofs', 'generate_app_proofs'];

/** `ignored`: paths of members that the service does not read. */
type Found = { parameters: { [name: string]: Json }; ignored: string[] };

/** The declared name by both spellings. */
const spellingsOf = (members: Readonly<Record<string, Known>>) =>
  new Map(Object.keys(members).flatMap((name) => [[snakeCase(name), name] as const, [name, name] as const]));

function reduced(value: Json, known: Known, path: string, ignored: string[]): Json {
  if (known === 'any' || known === 'value' || typeof value !== 'object' || value === null) return value;
  const { members = {}, elements, values } = known;
  if (Array.isArray(value))
    return elements === undefined ? value : value.map((each, i) => reduced(each, elements, `${path}[${i}]`, ignored));
  const names = spellingsOf(members);
  const kept: { [name: string]: Json } = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const declared = names.get(name);
    const inner = declared === undefined ? values : members[declared];
    if (inner === undefined) ignored.push(at);
    else kept[name] = reduced(each, inner, at, ignored);
  }
  return kept;
}

function twiceIn(value: Json, known: Known, path: string): string | undefined {
  if (known === 'any' || known === 'value' || typeof value !== 'object' || value === null) return undefined;
  const { members = {}, elements, values } = known;
  const names = spellingsOf(members);
  const seen = new Set<string>();
  for (const [name, each] of Object.entries(value)) {
    const declared = Array.isArray(value) ? undefined : names.get(name);
    if (declared !== undefined && seen.has(declared)) return `${path}${name}`;
    if (declared !== undefined) seen.add(declared);
    const inner = Array.isArray(value) ? elements : declared === undefined ? values : members[declared];
    const found = inner === undefined ? undefined : twiceIn(each, inner, `${path}${name}.`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The path of a declared member of a body that is given in both spellings. Names in a map are the client's own. */
export function givenTwice(type: string, body: Json): string | undefined {
  const known = Object.hasOwn(MEMBERS, type) ? MEMBERS[type]! : 'any';
  const parameters =
    typeof known === 'string' ? known : { ...known, members: { ...known.members, generateAppProofs: 'any' as const } };
  const members = { type: 'value', organizationId: 'value', timestampMs: 'value', generateAppProofs: 'any', parameters } as const;
  return twiceIn(body, { members }, '');
}

/**
 * The parameters as the service reads them in this type. An older version of a type ignores what a newer one obeys, so that is left
 * out. Undefined for a type that is not known here.
 */
export function knownOf(type: string, parameters: Parameters): Found | undefined {
  const known = Object.hasOwn(MEMBERS, type) ? MEMBERS[type]! : undefined;
  if (known === undefined) return undefined;
  const given = Object.fromEntries(Object.entries(parameters).filter(([name]) => !EVERYWHERE.includes(name)));
  const ignored: string[] = [];
  const found = reduced(given, known, '', ignored);
  return { parameters: isObject(found) ? (found as Found['parameters']) : {}, ignored };
}
