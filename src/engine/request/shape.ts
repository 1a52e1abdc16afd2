import { z } from 'zod';
import { snakeCase } from '../../base/names.ts';

/** A declared member, which bodies may spell in two ways. */
type Member = { name: string; shape: Shape };

/** The members that a value may have, by each of their spellings. `open`: nothing is known about the members below. */
export type Shape = { members?: ReadonlyMap<string, Member>; elements?: Shape; values?: Shape; open?: true };

const OPEN: Shape = { open: true };
export const SCALAR: Shape = {};

const shapes = new WeakMap<z.ZodType, Shape>();

/** The shape that a schema accepts, before any transformation. */
export function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = build(schema);
  shapes.set(schema, shape);
  return shape;
}

/** Declared spellings come first. A test checks that no spelling of one member is that of another. */
function spelled(declared: readonly (readonly [name: string, shape: Shape])[]): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const [name, shape] of declared) members.set(snakeCase(name), { name, shape });
  for (const [name, shape] of declared) members.set(name, { name, shape });
  return members;
}

function build(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject)
    return { members: spelled(Object.entries(schema.shape).map(([name, member]) => [name, shapeOf(member as z.ZodType)])) };
  if (schema instanceof z.ZodArray) return { elements: shapeOf(schema.element as z.ZodType) };
  if (schema instanceof z.ZodRecord) return { values: shapeOf(schema.valueType as z.ZodType) };
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return shapeOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => shapeOf(option as z.ZodType)).reduce(either);
  if (SCALARS.some((scalar) => schema instanceof scalar)) return SCALAR;
  return OPEN;
}

const SCALARS = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodStringFormat, z.ZodNumberFormat];

/** The union of two shapes. */
function either(a: Shape, b: Shape): Shape {
  if (a.open || b.open) return OPEN;
  if (a === SCALAR && b === SCALAR) return SCALAR;
  const pick = (x: Shape | undefined, y: Shape | undefined) => (x && y ? either(x, y) : (x ?? y));
  const names = new Set([...(a.members?.values() ?? []), ...(b.members?.values() ?? [])].map(({ name }) => name));
  const elements = pick(a.elements, b.elements);
  const values = pick(a.values, b.values);
  return {
    ...(names.size > 0 && {
      members: spelled([...names].map((name) => [name, pick(a.members?.get(name)?.shape, b.members?.get(name)?.shape)!])),
    }),
    ...(elements && { elements }),
    ...(values && { values }),
  };
}
