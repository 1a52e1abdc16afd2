import type { CompareOperator, Expr } from './ast.ts';
import { type Checker, refuse } from './checker.ts';
import { canEqual, canOrder, elementOf, isInteger, type Type, typeName } from './types.ts';

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
