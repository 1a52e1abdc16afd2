import type { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import type { Trace } from '../ports.ts';
import { Envelope } from './envelope.ts';
import { SCALAR, type Shape, shapeOf } from './shape.ts';

/** How many paths are reported, and the length of each. The caller chooses the names, and they are answered and logged. */
const MOST = 10;
const LONGEST = 200;

const bounded = (path: string): string =>
  path.length <= LONGEST ? path : `${path.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…`;

/**
 * The paths of members that a schema does not know, and therefore ignores: `parameters.users[0].nmae`. At most ten. `root` is
 * the path of `value` itself.
 */
export function unknownMembers(schema: z.ZodType, value: unknown, root: string): string[] {
  const found: string[] = [];
  walk(shapeOf(schema), value, root, found);
  return found;
}

function walk(shape: Shape, value: unknown, path: string, found: string[]): void {
  if (shape.open || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (shape.elements === undefined || shape.elements === SCALAR) return;
    for (let i = 0; i < value.length && found.length < MOST; i++) walk(shape.elements, value[i], `${path}[${i}]`, found);
    return;
  }
  const { members, values } = shape;
  if (members === undefined && values === undefined) return;
  for (const name in value) {
    if (found.length === MOST) return;
    const below = members?.get(name)?.shape ?? values;
    const at = path === '' ? name : `${path}.${name}`;
    if (below === undefined) found.push(at);
    else if (below !== SCALAR) walk(below, (value as Record<string, unknown>)[name], at, found);
  }
}

/** The same for the whole body of a submit. */
export function unknownInSubmit(body: object, schema: z.ZodType, parameters: unknown): string[] {
  return [...unknownMembers(Envelope, body, ''), ...unknownMembers(schema, parameters, 'parameters')].slice(0, MOST);
}

/** Notes the ignored members, so that the answer can name them. `strict`: refuses them. */
export function noteIgnored(trace: Trace, ignored: readonly string[], strict: boolean): void {
  if (ignored.length === 0) return;
  trace.ignored = ignored.map(bounded);
  if (!strict) return;
  const violations = trace.ignored.map((field) => ({ field, description: 'is not a known member' }));
  const text = violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
  throw new ApiError('REQUEST_INVALID', `bad request body: ${text}`, { violations });
}
