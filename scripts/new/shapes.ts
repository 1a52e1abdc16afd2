/** From the facts of the interface to the text of a schema and of a sample. */
import { enums, resolve, type Shape } from '../../tests/conformance/interface.ts';
import { filesIn, read } from './tree.ts';

/** What a schema's text imports: a name, and the file of src/wire/ that exports it. */
export type Uses = Map<string, string>;

type Side = 'input' | 'output';

/** Schemas that exist: the name and its file. */
const wire = new Map(
  filesIn('src/wire')
    .reverse()
    .flatMap((file) => [...read(`src/wire/${file}`).matchAll(/^export const ([A-Z]\w*)\b/gm)].map((m) => [m[1]!, file] as const)),
);

export const importsOf = (uses: Uses): string =>
  [...uses].map(([name, file]) => `import { ${name} } from '../../wire/${file}';\n`).join('');

/** external.data.v1.Timestamp → Timestamp */
const shortName = (ref: string): string => ref.replace(/^.*\./, '');

const valuesOf = (shape: Shape): readonly string[] | undefined => enums[shape.ref ?? ''] ?? shape.enum;

const isId = (name: string): boolean => /(^id|Ids?|UUID)$/.test(name);

/** Texts that have a schema of their own, by the end of the field's name; the last is a sample. */
const TEXTS: readonly [RegExp, string, string][] = [
  [/(Name|Label)$/, 'Label', "'Sample'"],
  [/Email$/, 'Email', "'a@example.com'"],
  [/PhoneNumber$/, 'PhoneNumber', "'+14155550100'"],
  [/^expirationSeconds$/, 'ExpirationSeconds', "'60'"],
];

function use(uses: Uses, name: string): string {
  uses.set(name, wire.get(name)!);
  return name;
}

function textSchema(name: string, side: Side, uses: Uses): string {
  if (isId(name)) return use(uses, side === 'input' ? 'Id' : 'IdOut');
  if (side === 'output') return 'z.string()';
  const known = TEXTS.find(([pattern]) => pattern.test(name));
  return known ? use(uses, known[1]) : 'z.string().max(1000)';
}

function enumSchema(name: string, shape: Shape, values: readonly string[], side: Side, uses: Uses): string {
  if (side === 'output') return 'z.string()';
  if (wire.has(shape.ref ?? '')) return use(uses, shape.ref!);
  uses.set('oneOf', 'enums.ts');
  return `oneOf('${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}', ${JSON.stringify(values)})`;
}

/** The schema of a shape: the one in src/wire/ with its name, if there is one. Texts and lists are bounded: widen them where needed. */
export function schemaText(shape: Shape, side: Side, uses: Uses, name = '', within: readonly string[] = []): string {
  const values = valuesOf(shape);
  if (values) return enumSchema(name, shape, values, side, uses);
  if (shape.ref !== undefined) {
    const known = shortName(shape.ref);
    if (wire.has(known)) return use(uses, known);
    if (within.includes(shape.ref)) return 'z.unknown()';
    return schemaText(resolve(shape), side, uses, name, [...within, shape.ref]);
  }
  const inside = (of: Shape, called: string) => schemaText(of, side, uses, called, within);
  if (shape.type === 'array') return `z.array(${inside(shape.items ?? {}, name)})${side === 'input' ? '.max(100)' : ''}`;
  if (shape.additionalProperties) return `z.record(z.string(), ${inside(shape.additionalProperties, '')})`;
  if (shape.type === 'object') {
    const fields = Object.entries(shape.properties ?? {}).map(([field, of]) => {
      const optional = shape.required?.includes(field) ? '' : '.optional()';
      return `${JSON.stringify(field)}: ${inside(of, field)}${optional}`;
    });
    return `z.object({ ${fields.join(', ')} })`;
  }
  if (shape.type === 'boolean') return 'z.boolean()';
  if (shape.type === 'integer') return 'z.int()';
  if (shape.type === 'number') return 'z.number()';
  return shape.type === 'string' ? textSchema(name, side, uses) : 'z.unknown()';
}

/** Well-formed parameters with all required fields, as text; an id is the constant `ID`. */
export function sampleText(given: Shape, name = '', skip: readonly string[] = []): string {
  const values = valuesOf(given);
  if (values) return `'${values[0]}'`;
  const shape = resolve(given);
  if (shape.type === 'array') return `[${sampleText(shape.items ?? {}, name)}]`;
  if (shape.type === 'object') {
    const fields = (shape.required ?? []).filter((field) => !skip.includes(field));
    return `{ ${fields.map((field) => `${JSON.stringify(field)}: ${sampleText(shape.properties![field]!, field)}`).join(', ')} }`;
  }
  if (shape.type === 'boolean') return 'true';
  if (shape.type === 'integer' || shape.type === 'number') return '1';
  return isId(name) ? 'ID' : (TEXTS.find(([pattern]) => pattern.test(name))?.[2] ?? "'sample'");
}
