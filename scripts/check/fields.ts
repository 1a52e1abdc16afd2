/** Refuses a field of the API documents that has no description, or one that says nothing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everywhere, fieldTables } from '../generate/openapi/fields/index.ts';
import type { Finding } from './architecture.ts';

type Json = { [key: string]: unknown };

const DOCUMENTS = ['openapi/public-api.json', 'openapi/auth-proxy.json'];
const PLACE = 'scripts/generate/openapi/fields: in the table of its shape or, if it means the same everywhere, in everywhere.ts';

/** Words that every description may have: they say nothing about a field by themselves. */
const EMPTY =
  /^(?:an?|the|of|for|to|in|on|by|with|from|is|are|be|was|were|has|have|do|does|done|shall|will|its?|this|that|which|what|and|or|s|given|value|field|list|object|text|activity|type|as|at|if|it|all|any|each|one|none|who|their|these|those|there|new|wanted|stored|entry|absent|otherwise|request|answer)$/i;

/** Formats and units say something by themselves. */
const FORMAT = /^(?:UUIDs?|hex|base(?:58|64|64url)?|JSON|URLs?|seconds?|milliseconds?|true|false|\d+)$/i;

const stem = (word: string): string => word.toLowerCase().replace(/(?:ies|es|s|ed|ing|e|y)$/, '');

const wordsOf = (text: string): string[] => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];

/** Whether a description has less than two words, and no format, besides those of its field and its shape. */
export function repeats(place: readonly string[], text: string): boolean {
  const known = new Set(place.flatMap(wordsOf).map(stem));
  const own = new Set(wordsOf(text).filter((word) => !EMPTY.test(word) && !known.has(stem(word))));
  return own.size < 2 && ![...own].some((word) => FORMAT.test(word));
}

type Field = { place: string[]; schema: Json };

function fieldsIn(value: unknown, place: readonly string[]): Field[] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsIn(one, place));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    if (key === 'example' || key === 'examples') return [];
    if (key !== 'properties') return fieldsIn(inside, place);
    return Object.entries(inside as Record<string, Json>).flatMap(([name, schema]) => {
      const at = [...place, name];
      return [{ place: at, schema }, ...fieldsIn(schema, at)];
    });
  });
}

function typeOf(schema: Json, shapes: Record<string, Json>): string {
  if (typeof schema.$ref === 'string') return typeOf(shapes[schema.$ref.split('/').at(-1)!] ?? {}, shapes);
  if (Array.isArray(schema.allOf)) return typeOf(schema.allOf[0], shapes);
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as Json, shapes)}`;
  return String(schema.type ?? typeof (schema.const ?? (schema.anyOf as Json[] | undefined)?.map((one) => one.type)[0] ?? ''));
}

const finding = (file: string, message: string): Finding => ({ rule: 'field', file, message });

/** The findings about one document. `seen`: the types of fields that share one text. */
function findingsOf(file: string, document: Json, seen: Map<string, Set<string>>): Finding[] {
  const shapes = ((document.components as Json | undefined)?.schemas ?? {}) as Record<string, Json>;
  const found: Finding[] = [];
  for (const [shape, schema] of Object.entries(shapes))
    for (const { place, schema: field } of fieldsIn(schema, [shape])) {
      const text = field.description;
      const name = place.at(-1)!;
      if (typeof text !== 'string') found.push(finding(file, `${place.join('.')} has no description: put it into ${PLACE}`));
      else if (repeats(place, text))
        found.push(finding(file, `${place.join('.')} is hardly more than repeated by ${JSON.stringify(text)}`));
      else if (text === everywhere[name]) seen.set(name, (seen.get(name) ?? new Set()).add(typeOf(field, shapes)));
    }
  return found;
}

/** Texts of tables that no field has. */
function unused(used: ReadonlySet<string>): Finding[] {
  const texts = [everywhere, ...Object.values(fieldTables)].flatMap((table) => Object.entries(table));
  return texts
    .filter(([name, text]) => !used.has(`${name}: ${text}`))
    .map(([name, text]) => finding('scripts/generate/openapi/fields', `no field ${name} has the text ${JSON.stringify(text)}`));
}

/** Run `npm run generate` first: it reads what is checked in. */
export function checkFields(root: string): Finding[] {
  const seen = new Map<string, Set<string>>();
  const used = new Set<string>();
  const found = DOCUMENTS.flatMap((file) => {
    const document = JSON.parse(readFileSync(join(root, file), 'utf8')) as Json;
    const shapes = (document.components as Json).schemas as Record<string, Json>;
    for (const { place, schema } of fieldsIn(shapes, [])) used.add(`${place.at(-1)}: ${schema.description}`);
    return findingsOf(file, document, seen);
  });
  const differing = [...seen].filter(([, types]) => types.size > 1);
  const mixed = differing.map(([name, types]) =>
    finding(
      'scripts/generate/openapi/fields/everywhere.ts',
      `one text serves fields named ${name} of different types (${[...types].join('; ')}): give each its own in the table of its shape`,
    ),
  );
  return [...found, ...mixed, ...unused(used)];
}
