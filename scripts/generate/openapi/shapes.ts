import { globSync } from 'node:fs';
import { z } from 'zod';

export type Schema = { [key: string]: unknown };

/** Shapes by the name that `src/wire` exports them by. Only objects and lists of values have names in the documents. */
async function exported(): Promise<[string, z.ZodType][]> {
  const folder = new URL('../../../src/wire/', import.meta.url);
  const found: [string, z.ZodType][] = [];
  for (const file of globSync('*.ts', { cwd: folder.pathname }).sort())
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href)))
      if (value instanceof z.ZodObject || value instanceof z.ZodEnum) found.push([name, value]);
  return found;
}

const SHARED = await exported();

export const json = (schema: Schema, examples: Schema = {}) => ({
  content: { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } },
});

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Answers may get further members in a later version, so they are not closed. */
function open(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => open(item, io));
  if (typeof value !== 'object' || value === null) return value;
  const { $schema: _, $defs: __, id: ___, ...rest } = value as Schema;
  if (io === 'output' && rest.additionalProperties === false) delete rest.additionalProperties;
  // JavaScript's safe integers say nothing about the field.
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum;
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum;
  // JSON Schema has no flags: the service compares hex without regard to case.
  if (typeof rest.pattern === 'string') rest.pattern = rest.pattern.replaceAll('[0-9a-f]', '[0-9a-fA-F]');
  if (typeof rest.$ref === 'string') rest.$ref = rest.$ref.replace('#/$defs/', '#/components/schemas/');
  return Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [key, key === 'properties' ? members(member as Schema, io) : open(member, io)]),
  );
}

const members = (all: Schema, io: 'input' | 'output') =>
  Object.fromEntries(Object.entries(all).map(([name, member]) => [name, open(member, io)]));

/** The shapes of one document, by name, and what writes them. */
export class Shapes {
  readonly schemas: Record<string, Schema> = {};

  constructor() {
    for (const [name, shape] of SHARED) {
      const known = z.globalRegistry.get(shape) ?? {};
      if (known.id === undefined) z.globalRegistry.add(shape, { ...known, id: name });
    }
  }

  add(name: string, schema: Schema): void {
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`${name} differs between requests and answers: give them two shapes in src/wire`);
    this.schemas[name] = schema;
  }

  /** The shape that a reference names. */
  at({ $ref }: Schema): Schema {
    return this.schemas[String($ref).split('/').at(-1)!]!;
  }

  /** A reference to a shape, which has this name unless src/wire has another for it. */
  of(shape: z.ZodType, io: 'input' | 'output', name: string): Schema {
    const made = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Schema;
    for (const [id, schema] of Object.entries((made.$defs ?? {}) as Record<string, Schema>))
      this.add(id, open(schema, io) as Schema);
    const schema = open(made, io) as Schema;
    if (typeof schema.$ref === 'string' && Object.keys(schema).length === 1) return schema;
    this.add(name, schema);
    return refTo(name);
  }
}
