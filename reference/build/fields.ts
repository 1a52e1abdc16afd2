import { AT } from './chapters.ts';
import { nameOf, type Shapes } from './documents.ts';
import { code, escaped, link, table } from './html.ts';
import { inline } from './inline.ts';
import { kindOf, type Schema } from './kinds.ts';

/** Longer lists of values are at the shape. */
const MOST_VALUES = 12;

export const SHAPES = `${AT}/api/shapes`;

export type Field = { path: string; type: string; required: boolean; description: string };

/** `shown`: whether a named shape's members are listed where it is used. Others are linked. */
export type Showing = { shapes: Shapes; shown(name: string): boolean };

const shapeLink = (name: string) => link(`${SHAPES}#${name}`, escaped(name));

const within = ({ type, items, properties, additionalProperties }: Schema): { schema: Schema; mark: string } | undefined => {
  if (type === 'array') return { schema: (items ?? {}) as Schema, mark: '[]' };
  if (typeof additionalProperties === 'object' && properties === undefined)
    return { schema: additionalProperties as Schema, mark: '.*' };
  return undefined;
};

/** A type as HTML. */
function typeOf(schema: Schema, showing: Showing): string {
  const name = nameOf(schema.$ref);
  if (name !== undefined) {
    const shape = showing.shapes[name]!;
    if (Array.isArray(shape.enum) && shape.enum.length <= MOST_VALUES) return `${shapeLink(name)}: ${valuesOf(shape.enum)}`;
    return shape.type === 'object' && showing.shown(name) ? 'object' : shapeLink(name);
  }
  if (Array.isArray(schema.allOf)) return (schema.allOf as Schema[]).map((one) => typeOf(one, showing)).join(', with ');
  const inside = within(schema);
  if (inside !== undefined) {
    const sizes = kindOf({ ...schema, type: 'array', items: {} }).replace('list of any value', '');
    return `${inside.mark === '[]' ? 'list of ' : 'map of '}${typeOf(inside.schema, showing)}${escaped(sizes)}`;
  }
  if (Array.isArray(schema.enum)) return valuesOf(schema.enum);
  return escaped(kindOf(schema));
}

const valuesOf = (values: readonly unknown[]): string => values.map((value) => code(String(value))).join(' <i>or</i> ');

/** All members below a schema. `open`: names of shapes around it, which it may contain again. */
export function fieldsOf(schema: Schema, showing: Showing, before = '', open: readonly string[] = []): Field[] {
  const name = nameOf(schema.$ref);
  if (name !== undefined)
    return open.includes(name) || !showing.shown(name) ? [] : fieldsOf(showing.shapes[name]!, showing, before, [...open, name]);
  if (Array.isArray(schema.allOf)) return (schema.allOf as Schema[]).flatMap((one) => fieldsOf(one, showing, before, open));
  const inside = within(schema);
  if (inside !== undefined) return fieldsOf(inside.schema, showing, before + inside.mark, open);
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([member, its]) => {
    const path = before === '' ? member : `${before}.${member}`;
    const field = {
      path,
      type: typeOf(its, showing),
      required: required.has(member),
      description: String(its.description ?? ''),
    };
    return [field, ...fieldsOf(its, showing, path, open)];
  });
}

const nowhere = () => undefined;

/** `at`: before the ids of the rows. Without it they have none. */
export function fieldTable(fields: readonly Field[], at?: string): string {
  if (fields.length === 0) return '<p>None.</p>';
  const rows = fields.map(({ path, type, required, description }) => [
    `${code(path)}${required ? ' <b>required</b>' : ''}`,
    type,
    inline(description, nowhere),
  ]);
  const ids = at === undefined ? [] : fields.map(({ path }) => `${at}.${path}`);
  return table(['Field', 'Type', 'Meaning'], rows, ids).replace('<table>', '<table class="fields">');
}
