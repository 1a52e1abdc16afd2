/** JSON Schemas in words, for the reference and for the helps of the command line. */
export type Schema = { [key: string]: unknown };

/** Of an id. The documents also allow capitals. */
const UUID = /\[0-9a-f(?:A-F)?\]\{8\}\(\?:-\[0-9a-f(?:A-F)?\]\{4\}\)\{3\}/;

export const choices = ({ anyOf, oneOf, allOf }: Schema): Schema[] => (anyOf ?? oneOf ?? allOf ?? []) as Schema[];

function sizeOf({ minLength, maxLength, minItems, maxItems }: Schema, what: string): string {
  const [least, most] = [minLength ?? minItems ?? 0, maxLength ?? maxItems];
  if (most === undefined) return least === 0 ? '' : `, at least ${least} ${what}`;
  return least === 0 || least === most ? `, at most ${most} ${what}` : `, ${least} to ${most} ${what}`;
}

function textOf(schema: Schema): string {
  const pattern = typeof schema.pattern === 'string' ? schema.pattern : '';
  if (UUID.test(pattern) || schema.format === 'uuid') return 'id';
  const form = pattern === '' || pattern.includes('\\P{Cc}') ? '' : `, of the form ${pattern}`;
  return `text${sizeOf(schema, 'characters')}${form}`;
}

/** A value in a few words: `text, at most 255 characters`. */
export function kindOf(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const some = choices(schema);
  if (some.length > 0) return [...new Set(some.map(kindOf))].join(' | ');
  if (schema.type === 'array')
    return `list of ${kindOf((schema.items ?? {}) as Schema).replace(/^object$/, 'objects')}${sizeOf(schema, 'members')}`;
  if (schema.type === 'string') return textOf(schema);
  if (schema.type === 'boolean') return 'true | false';
  return typeof schema.type === 'string' ? schema.type : 'any value';
}
