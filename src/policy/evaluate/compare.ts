import type { Expr, Span } from '../language/ast.ts';
import { elementOf, formOf, isInteger, type Type } from '../language/types.ts';
import { type Code, type Context, fail, spend } from './context.ts';
import { type Equal, equality, FREE_TEXT, includes } from './equality.ts';
import { decimalValue, dynamicInteger, kindName, reader, textKey } from './values.ts';

export type Comparison = Expr & { kind: 'compare' };

/** The code of a comparison, chosen by its operand types. */
export function comparison(expr: Comparison, left: Code, right: Code, leftType: Type, rightType: Type): Code {
  const { operator, span } = expr;
  if (operator === 'in') return membership(expr, left, right, leftType, rightType);
  if (operator === '==' || operator === '!=') {
    const wanted = operator === '==';
    const equal = literalEquality(expr, leftType, rightType) ?? equality(leftType, rightType, span);
    return (context) => {
      const a = left(context);
      const b = right(context);
      if (a === undefined || b === undefined) return undefined;
      const same = equal(context, a, b);
      return same === undefined ? undefined : same === wanted;
    };
  }
  const decide = orders[operator];
  const timestamps = leftType.kind === 'timestamp';
  const leftSpan = expr.left.span;
  const rightSpan = expr.right.span;
  const plain = timestamps || (isInteger(leftType) && isInteger(rightType));
  return (context) => {
    const a = left(context);
    const b = right(context);
    if (a === undefined || b === undefined) return undefined;
    if (plain) return decide(a as bigint, b as bigint);
    const x = ordinal(context, a, leftSpan);
    const y = ordinal(context, b, rightSpan);
    return x === undefined || y === undefined ? undefined : decide(x, y);
  };
}

const orders = {
  '<': (a: bigint, b: bigint) => a < b,
  '<=': (a: bigint, b: bigint) => a <= b,
  '>': (a: bigint, b: bigint) => a > b,
  '>=': (a: bigint, b: bigint) => a >= b,
} as const;

function ordinal(context: Context, value: unknown, span: Span): bigint | undefined {
  return dynamicInteger(value) ?? fail(context, 'kind', `an ordering needs an integer, but this is ${kindName(value)}`, span);
}

/** An integer against a string literal, which is parsed only once. */
function literalEquality(expr: Comparison, leftType: Type, rightType: Type): Equal | undefined {
  if (isInteger(leftType) && expr.right.kind === 'literal' && typeof expr.right.value === 'string') {
    const number = decimalValue(expr.right.value);
    return (_, a) => a === number;
  }
  if (isInteger(rightType) && expr.left.kind === 'literal' && typeof expr.left.value === 'string') {
    const number = decimalValue(expr.left.value);
    return (_, __, b) => b === number;
  }
  return undefined;
}

function membership(expr: Comparison, left: Code, right: Code, leftType: Type, rightType: Type): Code {
  const element = elementOf(rightType);
  const { span } = expr;
  const texts = leftType.kind === 'string' ? literalTexts(expr.right) : undefined;
  if (texts !== undefined) {
    const form = formOf(leftType);
    const keys = new Set(texts.map((text) => textKey(text, form)));
    const longest = Math.max(typeof form === 'object' ? form.longest : 0, ...texts.map((text) => text.length));
    return (context) => {
      const value = left(context) as string | undefined;
      if (value === undefined) return undefined;
      // A text longer than every literal cannot match, so comparing it costs nothing.
      const work = value.length > longest ? 0 : Math.floor(value.length / FREE_TEXT);
      if (!spend(context, texts.length + work, span)) return undefined;
      return value.length <= longest && keys.has(textKey(value, form));
    };
  }
  const read = reader(element);
  const rightSpan = expr.right.span;
  const equal = equality(element, leftType, span);
  return (context) => {
    const value = left(context);
    const list = right(context);
    if (value === undefined || list === undefined) return undefined;
    if (!Array.isArray(list)) return fail(context, 'kind', `\`in\` needs a list, but this is ${kindName(list)}`, rightSpan);
    return includes(context, list, value, read, equal, span);
  };
}

export function literalTexts(expr: Expr): string[] | undefined {
  if (expr.kind !== 'list') return undefined;
  const texts: string[] = [];
  for (const item of expr.items) {
    if (item.kind !== 'literal' || typeof item.value !== 'string') return undefined;
    texts.push(item.value);
  }
  return texts;
}
