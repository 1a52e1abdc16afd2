/** The older form of policies: a list of selectors instead of expressions. It is translated when a policy is created or updated. */
import type { CompareOperator, Expr } from './ast.ts';
import { check, typeOfPath } from './check.ts';
import type { Environment } from './environment.ts';
import { UINT_MAX } from './limits.ts';
import { parse } from './parse.ts';
import { printExpression } from './print.ts';
import type { Part } from './problem.ts';
import { isInteger, type Type } from './types.ts';

export type Selector = {
  readonly subject: string;
  readonly operator: string;
  readonly target?: string | undefined;
  readonly targets?: readonly string[] | undefined;
};

export type Translated =
  | { readonly ok: true; readonly condition: string; readonly consensus: string }
  | {
      readonly ok: false;
      readonly errors: readonly { readonly selector: number; readonly part: Part; readonly message: string }[];
    };

const nowhere = { start: 0, end: 0 };
const VOTER = 'user';

/** All selectors must hold. Those on `user` must hold for the same approving user. */
export function translateSelectors(selectors: readonly Selector[], environment: Environment): Translated {
  const errors: { selector: number; part: Part; message: string }[] = [];
  const conditions: Expr[] = [];
  const aboutUser: Expr[] = [];
  for (const [position, selector] of selectors.entries()) {
    const personal = selector.subject.startsWith(`${VOTER}.`);
    const part = personal ? 'consensus' : 'condition';
    const clause = translate(selector, part, personal, environment);
    if (typeof clause === 'string') errors.push({ selector: position, part, message: clause });
    else (personal ? aboutUser : conditions).push(clause);
  }
  if (errors.length > 0) return { ok: false, errors };
  const condition = conditions.length === 0 ? '' : printExpression(and(conditions));
  const consensus = aboutUser.length === 0 ? '' : printExpression(someApprover(aboutUser));
  return { ok: true, condition, consensus };
}

/** The clause, or the problem with the selector. */
function translate(selector: Selector, part: Part, personal: boolean, environment: Environment): Expr | string {
  const parsed = parse(selector.subject);
  if (!parsed.ok || !isPath(parsed.expr)) return `\`${selector.subject}\` is not the name of a field`;
  // The fields of a voter have the same types as those of an approver.
  const typed = personal ? parse(`approvers[0]${selector.subject.slice(VOTER.length)}`) : parsed;
  const type = typed.ok ? typeOfPath(typed.expr, part, environment) : undefined;
  if (type === undefined) return `field does not exist: ${selector.subject}`;
  const texts = selector.targets ?? (selector.target === undefined ? [] : [selector.target]);
  if (texts.length === 0) return 'a selector needs a target';
  const element = type.kind === 'list' ? type.of : type;
  const targets = texts.map((text) => literal(text, element));
  if (targets.some((target) => typeof target === 'object' && target.kind === 'literal' && unwritable(target.value))) {
    return 'a target cannot have both kinds of quotes';
  }
  const clause = build(selector.operator, parsed.expr, targets);
  if (typeof clause === 'string') return clause;
  const checked = check(personal ? someApprover([clause]) : clause, part, environment);
  return checked.ok ? clause : checked.problems[0]!.message;
}

function build(operator: string, subject: Expr, targets: readonly Expr[]): Expr | string {
  const first = targets[0]!;
  const single = targets.length === 1;
  switch (operator) {
    case 'OPERATOR_EQUAL':
      return single ? compare('==', subject, first) : compare('in', subject, list(targets));
    case 'OPERATOR_NOT_EQUAL':
      return single ? compare('!=', subject, first) : not(compare('in', subject, list(targets)));
    case 'OPERATOR_IN':
      return compare('in', subject, list(targets));
    case 'OPERATOR_NOT_IN':
      return not(compare('in', subject, list(targets)));
    case 'OPERATOR_CONTAINS':
      return single ? contains(subject, first) : `${operator} takes one target`;
    case 'OPERATOR_CONTAINS_ONE':
      return or(targets.map((target) => contains(subject, target)));
    case 'OPERATOR_CONTAINS_ALL':
      return and(targets.map((target) => contains(subject, target)));
  }
  const order = Object.hasOwn(orders, operator) ? orders[operator] : undefined;
  if (order === undefined) return `there is no operator \`${operator}\``;
  return single ? compare(order, subject, first) : `${operator} takes one target`;
}

const orders: Readonly<Record<string, CompareOperator>> = {
  OPERATOR_MORE_THAN: '>',
  OPERATOR_MORE_THAN_OR_EQUAL: '>=',
  OPERATOR_LESS_THAN: '<',
  OPERATOR_LESS_THAN_OR_EQUAL: '<=',
};

function isPath(expr: Expr): boolean {
  return expr.kind === 'name' || (expr.kind === 'member' && isPath(expr.object));
}

/** Targets are texts: digits become a number for a numeric field, `true` and `false` a bool for a boolean field. */
function literal(text: string, type: Type): Expr {
  const numeric = (isInteger(type) || type.kind === 'dynamic') && /^[0-9]{1,78}$/.test(text) && BigInt(text) <= UINT_MAX;
  if (numeric) return { kind: 'literal', value: BigInt(text), span: nowhere };
  const truth = type.kind === 'bool' && (text === 'true' || text === 'false');
  return { kind: 'literal', value: truth ? text === 'true' : text, span: nowhere };
}

function unwritable(value: boolean | bigint | string): boolean {
  return typeof value === 'string' && value.includes("'") && value.includes('"');
}

function compare(operator: CompareOperator, left: Expr, right: Expr): Expr {
  return { kind: 'compare', operator, left, right, span: nowhere };
}

function list(items: readonly Expr[]): Expr {
  return { kind: 'list', items, span: nowhere };
}

function not(operand: Expr): Expr {
  return { kind: 'not', operand, span: nowhere };
}

function and(operands: readonly Expr[]): Expr {
  return operands.length === 1 ? operands[0]! : { kind: 'and', operands, span: nowhere };
}

function or(operands: readonly Expr[]): Expr {
  return operands.length === 1 ? operands[0]! : { kind: 'or', operands, span: nowhere };
}

function contains(object: Expr, target: Expr): Expr {
  return { kind: 'method', object, name: 'contains', nameSpan: nowhere, variable: undefined, args: [target], span: nowhere };
}

function someApprover(clauses: readonly Expr[]): Expr {
  const object: Expr = { kind: 'name', name: 'approvers', span: nowhere };
  return { kind: 'method', object, name: 'any', nameSpan: nowhere, variable: VOTER, args: [and(clauses)], span: nowhere };
}
