import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import type { Trace } from '../ports.ts';

/** The members that a value may have. `open`: nothing below is checked. */
type Shape = { members?: ReadonlyMap<string, Shape>; elements?: Shape; values?: Shape; open?: true };

const OPEN: Shape = { open: true };
const SCALAR: Shape = {};

/** How many paths are reported, and the length of each: the caller chooses the names, and they are answered and logged. */
const MOST = 10;
const LONGEST = 200;

const bounded = (path: string): string =>
  path.length <= LONGEST ? path : `${path.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…`;

const shapes = new WeakMap<z.ZodType, Shape>();

/** The shape that a schema accepts, before any transformation. */
function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = build(schema);
  shapes.set(schema, shape);
  return shape;
}

function build(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject)
    return { members: new Map(Object.entries(schema.shape).map(([name, member]) => [name, shapeOf(member as z.ZodType)])) };
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
  const pick = (x: Shape | undefined, y: Shape | undefined) => (x && y ? either(x, y) : (x ?? y));
  const names = new Set([...(a.members?.keys() ?? []), ...(b.members?.keys() ?? [])]);
  const elements = pick(a.elements, b.elements);
  const values = pick(a.values, b.values);
  return {
    ...(names.size > 0 && {
      members: new Map([...names].map((name) => [name, pick(a.members?.get(name), b.members?.get(name))!])),
    }),
    ...(elements && { elements }),
    ...(values && { values }),
  };
}

/**
 * The paths of members that a schema does not know, and therefore ignores: `parameters.users[0].nmae`. Ten at most.
 * `root` is the path of `value` itself.
 */
export function unknownMembers(schema: z.ZodType, value: unknown, root: string): string[] {
  const found: string[] = [];
  walk(shapeOf(schema), value, root, found);
  return found;
}

function walk(shape: Shape, value: unknown, path: string, found: string[]): void {
  if (shape.open || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (shape.elements === undefined) return;
    for (let i = 0; i < value.length && found.length < MOST; i++) walk(shape.elements, value[i], `${path}[${i}]`, found);
    return;
  }
  const { members, values } = shape;
  if (members === undefined && values === undefined) return;
  for (const name in value) {
    if (found.length === MOST) return;
    const below = members?.get(name) ?? values;
    const at = path === '' ? name : `${path}.${name}`;
    if (below === undefined) found.push(at);
    else if (below !== SCALAR) walk(below, (value as Record<string, unknown>)[name], at, found);
  }
}

const OF_SUBMIT: ReadonlySet<string> = new Set(['type', 'timestampMs', 'organizationId', 'parameters', 'generateAppProofs']);

/** The same for the whole body of a submit. */
export function unknownInSubmit(body: object, schema: z.ZodType, parameters: unknown): string[] {
  const found = Object.keys(body).filter((name) => !OF_SUBMIT.has(name));
  return [...found, ...unknownMembers(schema, parameters, 'parameters')].slice(0, MOST);
}

/** Notes the ignored members, so that the answer can name them. `strict`: refuses them. */
export function noteIgnored(trace: Trace, ignored: readonly string[], strict: boolean): void {
  if (ignored.length === 0) return;
  trace.ignored = ignored.map(bounded);
  if (!strict) return;
  const violations = trace.ignored.map((field) => ({ field, description: 'is not known here' }));
  const text = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw new ApiError('REQUEST_INVALID', `bad request body: ${text}`, { violations });
}
