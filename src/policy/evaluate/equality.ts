import type { Span } from '../language/ast.ts';
import { formOf, isInteger, type TextForm, type Type } from '../language/types.ts';
import { type Context, combined, fail, spend } from './context.ts';
import { decimalValue, kindName, sameText } from './values.ts';

/** Compares two values of compatible types. */
export type Equal = (context: Context, a: unknown, b: unknown) => boolean | undefined;

/** Comparing text up to this length costs nothing beyond its node. */
export const FREE_TEXT = 64;

/** The comparison for two static types, chosen at compile time. */
export function equality(a: Type, b: Type, span: Span): Equal {
  const form = formOf(a, b);
  const text: Equal = (context, left, right) => equalText(context, left as string, right as string, form, span);
  if (a.kind === 'string' && b.kind === 'string') return text;
  if (a.kind === b.kind && a.kind !== 'dynamic') return identical;
  if (isInteger(a) && isInteger(b)) return identical;
  return (context, left, right) => {
    if (typeof left === 'string') {
      if (typeof right === 'string') return text(context, left, right);
      if (typeof right === 'bigint') return decimalValue(left) === right;
    } else if (typeof left === 'bigint') {
      if (typeof right === 'bigint') return left === right;
      if (typeof right === 'string') return decimalValue(right) === left;
    } else if (typeof left === 'boolean' && typeof right === 'boolean') {
      return left === right;
    }
    return fail(context, 'kind', `cannot compare ${kindName(left)} with ${kindName(right)}`, span);
  };
}

function identical(_: Context, a: unknown, b: unknown): boolean {
  return a === b;
}

function equalText(context: Context, a: string, b: string, form: TextForm, span: Span): boolean | undefined {
  if (typeof form === 'object') {
    if (!spend(context, form.steps, span)) return undefined;
  } else if (a.length !== b.length) return false;
  if (a.length > FREE_TEXT && !spend(context, Math.floor(a.length / FREE_TEXT), span)) return undefined;
  return sameText(a, b, form);
}

/** Whether a list has an element equal to `value`. All elements are compared, so that failures are never hidden. */
export function includes(
  context: Context,
  list: readonly unknown[],
  value: unknown,
  read: (element: unknown) => unknown,
  equal: Equal,
  span: Span,
): boolean | undefined {
  let isSettled = false;
  let failed = false;
  for (const element of list) {
    if (!spend(context, 1, span)) return undefined;
    const own = read(element);
    const same = own === undefined ? failedElement(context, span) : equal(context, own, value);
    if (same === undefined) failed = true;
    else if (same) isSettled = true;
  }
  return combined(context, true, isSettled, failed);
}

export function failedElement(context: Context, span: Span): undefined {
  return fail(context, 'value', 'a list holds a value that is not of its type', span);
}
