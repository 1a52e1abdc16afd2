import type { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { fieldName } from '../../base/issue-text.ts';
import { SCALAR, type Shape, shapeOf } from './shape.ts';

type Members = Record<string, unknown>;

/** `twice`: how a member is treated that one object has in both spellings. Stored bodies were read by the declared name. */
type Walk = { root: string; path: PropertyKey[]; twice: 'refused' | 'declared name' };

/**
 * A value with its members as the schema declares them: published clients also send them in snake_case (`organization_id`).
 * Returns the value itself where it has no such member. Keys of free maps stay, and so do the contents of texts. Throws
 * REQUEST_INVALID for a member that comes in both spellings, unless `twice` says otherwise.
 */
export function inDeclaredNames<T>(schema: z.ZodType, value: T, root: string, twice: Walk['twice'] = 'refused'): T {
  return renamed(shapeOf(schema), value, { root, path: [], twice }) as T;
}

function renamed(shape: Shape, value: unknown, walk: Walk): unknown {
  if (shape === SCALAR || shape.open || typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? renamedElements(shape, value, walk) : renamedMembers(shape, value as Members, walk);
}

function renamedElements({ elements }: Shape, value: readonly unknown[], walk: Walk): readonly unknown[] {
  if (elements === undefined || elements === SCALAR) return value;
  let copy: unknown[] | undefined;
  for (const [i, element] of value.entries()) {
    const inner = below(elements, element, i, walk);
    if (inner === element) continue;
    copy ??= [...value];
    copy[i] = inner;
  }
  return copy ?? value;
}

function renamedMembers({ members, values }: Shape, value: Members, walk: Walk): Members {
  if (members === undefined && values === undefined) return value;
  let copy: Members | undefined;
  for (const key in value) {
    const known = members?.get(key);
    const name = known?.name ?? key;
    if (name !== key && Object.hasOwn(value, name)) {
      if (walk.twice === 'declared name') continue;
      throw invalid(fieldName(walk.root, [...walk.path, name]), `is given twice, as "${name}" and as "${key}": send one of them`);
    }
    const shape = known?.shape ?? values;
    const inner = shape === undefined ? value[key] : below(shape, value[key], name, walk);
    if (name === key && inner === value[key]) continue;
    copy ??= { ...value };
    if (name !== key) delete copy[key];
    copy[name] = inner;
  }
  return copy ?? value;
}

function below(shape: Shape, value: unknown, at: PropertyKey, walk: Walk): unknown {
  walk.path.push(at);
  const inner = renamed(shape, value, walk);
  walk.path.pop();
  return inner;
}
