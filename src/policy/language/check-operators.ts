import type { CompareOperator, Expr, Span } from './ast.ts';
import { type Checker, refuse } from './checker.ts';
import { canEqual, canOrder, DYNAMIC, elementOf, isCaseless, isInteger, type Type, typeName } from './types.ts';

/** The rules of `==`, `!=`, `<`, `<=`, `>`, `>=` and `in`. */
export function comparison(c: Checker, expr: Expr & { kind: 'compare' }, left: Type, right: Type): void {
  const { operator } = expr;
  if (operator === 'in') {
    membership(c, expr, left, right);
    return;
  }
  if (operator === '==' || operator === '!=') {
    if (!canEqual(left, right))
      refuse(
        c,
        `\`${operator}\` cannot compare \`${typeName(left)}\` with \`${typeName(right)}\``,
        expr.span,
        equalHint(left, right),
      );
    return;
  }
  if (canOrder(left, right)) return;
  const at = ordered(left) && (left.kind !== 'timestamp' || right.kind === 'timestamp') ? expr.right : expr.left;
  const type = at === expr.left ? left : right;
  const digits = at.kind === 'literal' && typeof at.value === 'string' && /^[0-9]+$/.test(at.value);
  refuse(c, orderMessage(operator, type), at.span, digits ? 'write the number without quotes' : undefined);
}

function ordered(type: Type): boolean {
  return isInteger(type) || type.kind === 'dynamic' || type.kind === 'timestamp';
}

function orderMessage(operator: CompareOperator, type: Type): string {
  return `\`${operator}\` needs two integers or two timestamps, but this is \`${typeName(type)}\``;
}

function equalHint(left: Type, right: Type): string | undefined {
  if (left.kind === 'list' || right.kind === 'list') return 'use `in`, or `all` and `any`';
  return left.kind === 'struct' || right.kind === 'struct' ? 'compare the fields' : undefined;
}

function membership(c: Checker, expr: Expr & { kind: 'compare' }, left: Type, right: Type): void {
  if (right.kind !== 'list' && right.kind !== 'dynamic') {
    refuse(c, `\`in\` needs a list on its right, but this is \`${typeName(right)}\``, expr.right.span);
    return;
  }
  if (!canEqual(elementOf(right), left)) refuse(c, `a \`${typeName(left)}\` cannot be in a \`${typeName(right)}\``, expr.span);
}

/** The type of an element, character or entry. */
export function indexed(c: Checker, expr: Expr & { kind: 'index' }, type: Type, key: Type): Type | undefined {
  const { object, index } = expr;
  if (isCaseless(key) && (type.kind === 'map' || type.kind === 'dynamic'))
    return wrongIndex(c, type, key, 'a text that compares exactly', index.span);
  switch (type.kind) {
    case 'list':
    case 'string':
      if (!isInteger(key) && key.kind !== 'dynamic') return wrongIndex(c, type, key, 'an integer', index.span);
      return type.kind === 'list' ? type.of : type;
    case 'map':
      if (key.kind !== 'string' && key.kind !== 'dynamic') return wrongIndex(c, type, key, 'a string', index.span);
      return type.of;
    case 'dynamic':
      if (key.kind === 'string' || key.kind === 'dynamic' || isInteger(key)) return DYNAMIC;
      return wrongIndex(c, type, key, 'an integer or a string', index.span);
    default: {
      const hint = type.kind === 'struct' ? 'read a field with `.name`' : undefined;
      return refuse(c, `\`${typeName(type)}\` cannot be indexed`, object.span, hint);
    }
  }
}

function wrongIndex(c: Checker, type: Type, key: Type, wanted: string, span: Span): undefined {
  return refuse(c, `the index of \`${typeName(type)}\` must be ${wanted}, but this is \`${typeName(key)}\``, span);
}
