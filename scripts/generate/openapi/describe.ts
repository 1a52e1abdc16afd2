import { everywhere, type Fields, fieldTables } from './fields/index.ts';
import type { Schema } from './shapes.ts';

const tables: Readonly<Record<string, Fields>> = fieldTables;

/** CreateUsersIntent from CreateUsersIntentV3: a description serves all versions that have no text of their own. */
const unversioned = (name: string): string => name.replace(/V\d+$/, '');

/**
 * The description of a field. The table of its shape comes first, or of the field around it, the nearest first. Then comes the one for
 * all fields of its name; `Request` is one for all requests. `around`: the shape, and the fields from it down to this one.
 */
export function descriptionOf(around: readonly string[], field: string): string | undefined {
  const [shape = '', ...inside] = around;
  const request = inside.length === 0 && unversioned(shape).endsWith('Request') ? ['Request'] : [];
  const names = [...inside.toReversed(), shape, unversioned(shape), ...request];
  const places = [around.join('.'), [unversioned(shape), ...inside].join('.'), ...names];
  const place = places.find((one) => tables[one]?.[field] !== undefined);
  return place === undefined ? everywhere[field] : tables[place]![field];
}

function described(schema: unknown, around: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((one) => described(one, around));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key !== 'properties') return [key, key === 'example' ? value : described(value, around)];
      const fields = Object.entries(value as Record<string, Schema>).map(([field, one]) => {
        const text = typeof one.description === 'string' ? one.description : descriptionOf(around, field);
        const inside = described(one, [...around, field]) as Schema;
        return [field, text === undefined ? inside : { ...inside, description: text }];
      });
      return [key, Object.fromEntries(fields)];
    }),
  );
}

/** Shapes in the order of their names, each field with its description. */
export function describe(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const named = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(named.map(([name, schema]) => [name, described(schema, [name]) as Schema]));
}
