import type { Schema } from './kinds.ts';

/** The parts of an OpenAPI document that the reference shows. */
export type Content = { schema: Schema; examples?: Readonly<Record<string, { value: unknown }>> };
export type Response = { description?: string; content?: Readonly<Record<string, Content>>; $ref?: string };
export type Post = {
  operationId: string;
  summary: string;
  description: string;
  security: readonly Readonly<Record<string, unknown>>[];
  parameters?: readonly { name: string; required: boolean; description: string }[];
  requestBody: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, Response>>;
};
export type Shapes = Readonly<Record<string, Schema>>;
export type Document = {
  info: { title: string; version: string; description: string };
  paths: Readonly<Record<string, { post: Post }>>;
  components: { schemas: Shapes; responses: Readonly<Record<string, Response>> };
};

const JSON_TYPE = 'application/json';

export const contentOf = (of: { content?: Readonly<Record<string, Content>> } | undefined): Content => of!.content![JSON_TYPE]!;

export const nameOf = (ref: unknown): string | undefined =>
  typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : undefined;

/** The names of all shapes that a schema leads to. */
export function reached(value: unknown, shapes: Shapes, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) reached(one, shapes, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inside] of Object.entries(value)) {
      const name = key === '$ref' ? nameOf(inside) : undefined;
      if (name === undefined) reached(inside, shapes, found);
      else if (shapes[name] !== undefined && !found.has(name)) reached(shapes[name], shapes, found.add(name));
    }
  return found;
}

/** The versions of a request, the newest first. */
export const requestsOf = ({ requestBody }: Post): Schema[] => {
  const { schema } = contentOf(requestBody);
  return (schema.oneOf as Schema[] | undefined) ?? [schema];
};
