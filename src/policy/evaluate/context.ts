import type { Span } from '../language/ast.ts';
import { MAX_STEPS } from '../language/limits.ts';
import type { TextForm } from '../language/types.ts';
import { entryOf, isObject, textKey, type Value } from './values.ts';

/**
 * Why an expression has no value:
 * - `absent`: a root, or a parameter that this activity's type does not have.
 * - `missing`: a field or key that does not exist.
 * - `range`: an index or slice.
 * - `kind`: a dynamic value of the wrong kind.
 * - `hex`: not a hexadecimal number.
 * - `steps`: too expensive.
 * - `value`: the host's value differs from its declaration.
 * - `unreadable`: the host cannot tell the value, and says why.
 * - `internal`: a defect of ours.
 */
export type FailureCode = 'absent' | 'missing' | 'range' | 'kind' | 'hex' | 'steps' | 'value' | 'unreadable' | 'internal';
export type EvaluationFailure = { readonly code: FailureCode; readonly message: string; readonly span: Span };

/** Values by keyword (`eth.tx`, `activity`). A function is called when its root is first needed, at most once. */
export type Roots = { readonly [keyword: string]: Value | (() => Value | undefined) | undefined };

/** One activity, or one element of a batch, as policies see it. Created by `openRequest`; may serve several decisions. */
export type Request = {
  readonly roots: Roots;
  readonly called: Map<string, unknown>;
  /** Error messages of root functions that threw. */
  readonly unreadable: Map<string, string>;
  readonly keys: Map<string, string | typeof ABSENT | typeof BAD>;
  /** The remaining cost limit, during a decision. */
  budget: Budget | undefined;
};

export type Budget = { left: number };

/** The root is absent. */
export const ABSENT = Symbol('absent');
/** The root exists but is unusable: its function threw, or its value does not match the declaration. */
export const BAD = Symbol('bad');

export function openRequest(roots: Roots): Request {
  return { roots, called: new Map(), unreadable: new Map(), keys: new Map(), budget: undefined };
}

export function readRoot(request: Request, keyword: string): unknown {
  const given = Object.hasOwn(request.roots, keyword) ? request.roots[keyword] : undefined;
  if (typeof given !== 'function') return given ?? ABSENT;
  const known = request.called.get(keyword);
  if (known !== undefined) return known;
  let value: unknown;
  try {
    value = given() ?? ABSENT;
  } catch (error) {
    value = BAD;
    request.unreadable.set(keyword, (error as Error).message);
  }
  request.called.set(keyword, value);
  return value;
}

/** A string field of a root, identified by its name. */
export type KeyField = { readonly name: string; readonly keyword: string; readonly field: string; readonly form: TextForm };

/** The comparison key of a field, cached for the request. The policy index looks policies up by it. */
export function readKey(request: Request, { name, keyword, field, form }: KeyField): string | typeof ABSENT | typeof BAD {
  const known = request.keys.get(name);
  if (known !== undefined) return known;
  const key = keyOf(readRoot(request, keyword), field, form);
  request.keys.set(name, key);
  return key;
}

function keyOf(root: unknown, field: string, form: TextForm): string | typeof ABSENT | typeof BAD {
  if (root === ABSENT) return ABSENT;
  try {
    const value = isObject(root) ? entryOf(root, field) : undefined;
    return typeof value === 'string' ? textKey(value, form) : BAD;
  } catch {
    return BAD;
  }
}

/** The state of one run of one expression. */
export type Context = {
  readonly request: Request;
  /** Values of bound variables, by nesting depth. */
  readonly variables: unknown[];
  steps: number;
  /** In Kleene's logic, a failure is the third value: an operand that settles the whole hides it. */
  readonly kleene: boolean;
  failure: EvaluationFailure | undefined;
};

/** Compiled code. Returns undefined on failure, with the reason in the context. */
export type Code = (context: Context) => unknown;

/**
 * Records why there is no value. The first failure is kept, but an absent root or parameter takes precedence. Then the
 * expression does not apply to this activity, whatever the order of its clauses.
 */
export function fail(context: Context, code: FailureCode, message: string, span: Span): undefined {
  const known = context.failure;
  if (known === undefined || (code === 'absent' && known.code !== 'absent')) context.failure = { code, message, span };
  return undefined;
}

/** Counts work. False, with the failure recorded, once the limit is exceeded. */
export function spend(context: Context, steps: number, span: Span): boolean {
  context.steps += steps;
  if (context.steps <= MAX_STEPS) return true;
  fail(context, 'steps', `the evaluation needs more than ${MAX_STEPS} steps`, span);
  return false;
}

/**
 * The value of several operands. An operand with the value `settles` decides it. In strict mode, one failed operand leaves the
 * whole without a value.
 */
export function combined(context: Context, settles: boolean, isSettled: boolean, failed: boolean): boolean | undefined {
  if (failed && !(isSettled && context.kleene)) return undefined;
  return isSettled ? settles : !settles;
}
