import type { Expr, MethodCall } from './ast.ts';
import { constructorType } from './check-constructors.ts';
import { fieldList, find, keywordOf, namespace, noField, type Scope, unknownName } from './check-names.ts';
import { comparison, indexed } from './check-operators.ts';
import { type Checker, type Facts, refuse } from './checker.ts';
import type { Environment } from './environment.ts';
import { methodNamed, methods } from './functions.ts';
import { INT_MAX } from './limits.ts';
import type { Part, Problem } from './problem.ts';
import { didYouMean } from './suggest.ts';
import {
  BOOL,
  canEqual,
  DYNAMIC,
  elementOf,
  fieldName,
  fieldType,
  INT,
  isInteger,
  listOf,
  STRING,
  type Type,
  typeName,
  UINT,
  unify,
} from './types.ts';

export type Checked = { ok: true; facts: Facts } | { ok: false; problems: readonly Problem[] };

/** Returns the type of every node, or all problems. A part of a policy must be a bool. */
export function check(expr: Expr, part: Part, environment: Environment, isScope = false): Checked {
  const checker: Checker = { part, isScope, environment, facts: new Map(), problems: [] };
  const type = infer(checker, expr, undefined);
  if (type !== undefined && type.kind !== 'bool') {
    const hint = type.kind === 'dynamic' ? 'compare it with `== true`' : undefined;
    refuse(checker, `the ${part} must be a bool, but this is \`${typeName(type)}\``, expr.span, hint);
  }
  return checker.problems.length === 0 ? { ok: true, facts: checker.facts } : { ok: false, problems: checker.problems };
}

/** The type of a path such as `eth.tx.value`, or undefined if there is no such path. */
export function typeOfPath(expr: Expr, part: Part, environment: Environment): Type | undefined {
  return infer({ part, isScope: false, environment, facts: new Map(), problems: [] }, expr, undefined);
}

/** The type of a node; undefined after a reported problem, so that one mistake is reported once. */
function infer(c: Checker, expr: Expr, scope: Scope): Type | undefined {
  const root = rootOf(c, expr, scope);
  if (root !== undefined) return root.type;
  switch (expr.kind) {
    case 'literal':
      return know(c, expr, literalType(expr.value));
    case 'name':
      return variable(c, expr, scope);
    case 'list':
      return know(c, expr, listType(c, expr.items, scope));
    case 'struct':
      return know(c, expr, structType(c, expr, scope));
    case 'member':
      return member(c, expr, scope);
    case 'index': {
      const type = infer(c, expr.object, scope);
      const key = infer(c, expr.index, scope);
      return know(c, expr, type && key && indexed(c, expr, type, key));
    }
    case 'slice':
      return know(c, expr, sliceType(c, expr, scope));
    case 'method':
      return methodType(c, expr, scope);
    case 'constructor':
      return constructorType(c, expr, (argument) => infer(c, argument, scope));
    case 'not':
      bool(c, expr.operand, scope, '`!`');
      return know(c, expr, BOOL);
    case 'and':
    case 'or':
      for (const operand of expr.operands) bool(c, operand, scope, expr.kind === 'and' ? '`&&`' : '`||`');
      return know(c, expr, BOOL);
    case 'compare': {
      const left = infer(c, expr.left, scope);
      const right = infer(c, expr.right, scope);
      if (left !== undefined && right !== undefined) comparison(c, expr, left, right);
      return know(c, expr, BOOL);
    }
  }
}

function know(c: Checker, expr: Expr, type: Type | undefined): Type | undefined {
  if (type !== undefined) c.facts.set(expr, { type });
  return type;
}

function literalType(value: boolean | bigint | string): Type {
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'string') return STRING;
  return value > INT_MAX ? UINT : INT;
}

/** A root is a name, or a name and a field (`eth.tx`), that no variable shadows. The type is undefined if the part may not use it. */
function rootOf(c: Checker, expr: Expr, scope: Scope): { type: Type | undefined } | undefined {
  const keyword = keywordOf(expr, scope);
  const root = keyword === undefined ? undefined : c.environment.roots.get(keyword);
  if (root === undefined) return undefined;
  if (root.part !== c.part) {
    const hint = `\`${root.keyword}\` belongs to the ${root.part} of a policy`;
    return { type: refuse(c, `\`${root.keyword}\` cannot be used in the ${c.part}`, expr.span, hint) };
  }
  if (root.policiesOnly && c.isScope) return { type: refuse(c, `\`${root.keyword}\` can be used only in policies`, expr.span) };
  if (root.scopesOnly && !c.isScope) {
    const hint = 'policies decide about the activity, not about its approval';
    return {
      type: refuse(c, `\`${root.keyword}\` can be used only in session scopes and MFA conditions`, expr.span, hint),
    };
  }
  c.facts.set(expr, { type: root.type, root: root.keyword });
  return { type: root.type };
}

function variable(c: Checker, expr: Expr & { kind: 'name' }, scope: Scope): Type | undefined {
  const bound = find(scope, expr.name);
  if (bound === undefined) return unknownName(c, expr, scope);
  if (bound.type !== undefined) c.facts.set(expr, { type: bound.type, slot: bound.slot });
  return bound.type;
}

function member(c: Checker, expr: Expr & { kind: 'member' }, scope: Scope): Type | undefined {
  const { object, name, nameSpan } = expr;
  if (object.kind === 'name' && find(scope, object.name) === undefined) {
    const inside = namespace(c, object.name);
    if (inside.length > 0)
      return noField(c, name, nameSpan, didYouMean(name, inside) ?? `\`${object.name}\` has ${inside.join(', ')}`);
  }
  const type = infer(c, object, scope);
  if (type === undefined) return undefined;
  if (type.kind === 'struct') {
    const own = fieldName(type, name);
    if (own !== undefined) return know(c, expr, fieldType(type, own));
    return noField(c, name, nameSpan, didYouMean(name, Object.keys(type.fields)) ?? `\`${type.name}\` has ${fieldList(type)}`);
  }
  const method = methodNamed(name);
  if (method !== undefined && (type.kind === method.on || type.kind === 'dynamic')) {
    if (method.bare) return know(c, expr, method.result(DYNAMIC));
    return refuse(c, `\`${name}\` is a function`, nameSpan, `call it: \`${method.signature}\``);
  }
  if (type.kind === 'map' || type.kind === 'dynamic') return noField(c, name, nameSpan, `read an entry with \`['${name}']\``);
  if (type.kind === 'list') return noField(c, name, nameSpan, 'this is a list: use an index, or `all`, `any` or `filter`');
  return noField(c, name, nameSpan, `\`${typeName(type)}\` has no fields`);
}

function listType(c: Checker, items: readonly Expr[], scope: Scope): Type | undefined {
  const types = items.map((item) => infer(c, item, scope));
  if (types.includes(undefined)) return undefined;
  let whole: Type | undefined = types[0] ?? DYNAMIC;
  for (const [index, type] of types.entries()) {
    const both: Type | undefined = unify(whole, type!);
    if (both === undefined) {
      return refuse(
        c,
        `the items of a list must have one type, not \`${typeName(whole)}\` and \`${typeName(type!)}\``,
        items[index]!.span,
      );
    }
    whole = both;
  }
  return listOf(whole);
}

function structType(c: Checker, expr: Expr & { kind: 'struct' }, scope: Scope): Type | undefined {
  const fields: Record<string, Type> = Object.create(null);
  let whole = true;
  for (const { name, nameSpan, value } of expr.fields) {
    if (Object.hasOwn(fields, name)) refuse(c, `the field \`${name}\` is given twice`, nameSpan);
    const type = infer(c, value, scope);
    if (type === undefined) whole = false;
    else fields[name] = type;
  }
  return whole ? { kind: 'struct', name: 'struct', fields } : undefined;
}

function sliceType(c: Checker, expr: Expr & { kind: 'slice' }, scope: Scope): Type | undefined {
  const type = infer(c, expr.object, scope);
  for (const bound of [expr.from, expr.to]) {
    const bounded = infer(c, bound, scope);
    if (bounded !== undefined && bounded.kind !== 'dynamic' && !isInteger(bounded)) {
      refuse(c, `the bounds of a slice must be integers, but this is \`${typeName(bounded)}\``, bound.span);
    }
  }
  if (type === undefined || type.kind === 'list' || type.kind === 'string' || type.kind === 'dynamic') return type;
  return refuse(c, `\`${typeName(type)}\` cannot be sliced`, expr.object.span);
}

function methodType(c: Checker, call: MethodCall, scope: Scope): Type | undefined {
  const receiver = infer(c, call.object, scope);
  const method = methodNamed(call.name);
  if (method === undefined) {
    const hint = didYouMean(
      call.name,
      methods.map((row) => row.name),
    );
    return refuse(
      c,
      `there is no function \`${call.name}\``,
      call.nameSpan,
      hint ?? `there are ${methods.map((row) => row.name).join(', ')}`,
    );
  }
  if (receiver !== undefined && receiver.kind !== method.on && receiver.kind !== 'dynamic') {
    return refuse(c, `\`${call.name}\` needs a ${method.on}, but this is \`${typeName(receiver)}\``, call.object.span);
  }
  const element = receiver === undefined ? undefined : elementOf(receiver);
  const slot = scope === undefined ? 0 : scope.slot + 1;
  if (method.takes === 'predicate') {
    bool(c, call.args[0]!, { name: call.variable!, type: element, slot, outer: scope }, `\`${call.name}\``);
  } else {
    const types = call.args.map((arg) => infer(c, arg, scope));
    const wanted = method.takes === 'element' ? 1 : 0;
    if (types.length !== wanted) {
      return refuse(
        c,
        `\`${call.name}\` takes ${wanted === 1 ? 'one argument' : 'no arguments'}`,
        call.span,
        `write \`${method.signature}\``,
      );
    }
    const given = types[0];
    if (given !== undefined && element !== undefined && !canEqual(element, given)) {
      return refuse(c, `a \`${typeName(element)}\` cannot equal a \`${typeName(given)}\``, call.args[0]!.span);
    }
  }
  if (element === undefined) return undefined;
  const type = method.result(element);
  c.facts.set(call, { type, slot });
  return type;
}

function bool(c: Checker, expr: Expr, scope: Scope, of: string): void {
  const type = infer(c, expr, scope);
  if (type === undefined || type.kind === 'bool') return;
  const hint = type.kind === 'dynamic' ? 'compare it with `== true`' : undefined;
  refuse(c, `${of} needs a bool, but this is \`${typeName(type)}\``, expr.span, hint);
}
