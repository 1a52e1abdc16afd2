import { z } from 'zod';

export type Schema = Record<string, unknown>;

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  return rest;
}

export const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });

const error: Schema = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'integer', description: 'gRPC status number' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object', properties: { '@type': { type: 'string' } } } },
  },
};

/** The components of every document: the error responses. */
export const ERROR = {
  schemas: { Error: error },
  responses: { Error: { description: 'Refused', ...json({ $ref: '#/components/schemas/Error' }) } },
};
