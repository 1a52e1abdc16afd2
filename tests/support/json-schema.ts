/** What the API documents use of JSON Schema. */
export type Schema = { [key: string]: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
};

const KNOWN = new Set(
  [
    'type',
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
    'items',
    'enum',
    'const',
    'pattern',
    'format',
  ].concat(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', '$ref'],
    ['oneOf', 'anyOf', 'allOf', 'description', 'title', 'deprecated', 'example', 'default'],
  ),
);

const bounds = (schema: Schema, value: unknown): boolean => {
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = Infinity } = schema as Record<string, number>;
  const { minimum = -Infinity, maximum = Infinity } = schema as Record<string, number>;
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema as Record<string, number>;
  if (typeof value === 'string') return value.length >= minLength && value.length <= maxLength;
  if (Array.isArray(value)) return value.length >= minItems && value.length <= maxItems;
  if (typeof value !== 'number') return true;
  return value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
};

/** `closed`: members that no schema names are problems too. */
type How = { schemas: Readonly<Record<string, Schema>>; closed: boolean };

/** Problems of a value, each with its path, and the members that the schema names. */
function look(schema: Schema, value: unknown, path: string, how: How): { problems: string[]; named: Set<string> } {
  const problems: string[] = [];
  const named = new Set<string>();
  const bad = (what: string) => problems.push(`${path || 'the body'}: ${what}`);
  const join = (found: ReturnType<typeof look>) => {
    problems.push(...found.problems);
    for (const name of found.named) named.add(name);
  };
  for (const key of Object.keys(schema)) if (!KNOWN.has(key)) throw new Error(`this validator does not know ${key}`);
  if (typeof schema.$ref === 'string') join(look(how.schemas[schema.$ref.split('/').at(-1)!]!, value, path, how));
  for (const part of (schema.allOf as Schema[] | undefined) ?? []) join(look(part, value, path, how));
  const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (choices !== undefined) {
    const tried = choices.map((choice) => look(choice, value, path, how)).sort((a, b) => a.problems.length - b.problems.length);
    join(tried[0]!);
  }
  if (typeof schema.type === 'string' && !TYPES[schema.type]!(value)) bad(`must be of type ${schema.type}`);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) bad(`must be one of ${schema.enum.slice(0, 5)}`);
  if ('const' in schema && schema.const !== value) bad(`must be ${schema.const}`);
  if (typeof schema.pattern === 'string' && typeof value === 'string' && !new RegExp(schema.pattern, 'u').test(value))
    bad(`must match ${schema.pattern}`);
  if (!bounds(schema, value)) bad('is too short, too long or out of range');
  if (Array.isArray(value) && isObject(schema.items))
    for (const [i, item] of value.entries()) join({ ...inside(schema.items, item, `${path}[${i}]`, how), named: new Set() });
  if (isObject(value)) {
    for (const name of (schema.required as string[] | undefined) ?? []) if (!(name in value)) bad(`must have ${name}`);
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    for (const [name, member] of Object.entries(value)) {
      const own = properties[name] ?? (isObject(schema.additionalProperties) ? schema.additionalProperties : undefined);
      if (own !== undefined || isObject(schema.propertyNames)) named.add(name);
      if (own === undefined) {
        if (schema.additionalProperties === false) bad(`must not have ${name}`);
      } else problems.push(...inside(own, member, path === '' ? name : `${path}.${name}`, how).problems);
    }
    // An object of which nothing is said may have anything.
    if (schema.type === 'object' && schema.properties === undefined) for (const name of Object.keys(value)) named.add(name);
  }
  return { problems, named };
}

function inside(schema: Schema, value: unknown, path: string, how: How): ReturnType<typeof look> {
  const found = look(schema, value, path, how);
  // A schema that says nothing of members allows any.
  const isOpen = !['properties', '$ref', 'allOf', 'oneOf', 'anyOf'].some((key) => key in schema);
  if (how.closed && !isOpen && isObject(value))
    for (const name of Object.keys(value))
      if (!found.named.has(name)) found.problems.push(`${path}: no field ${name} is described`);
  return found;
}

export const problemsOf = (schema: Schema, value: unknown, how: How): string[] => inside(schema, value, '', how).problems;
