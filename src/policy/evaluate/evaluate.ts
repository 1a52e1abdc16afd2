import { childrenOf, type Expr, type MethodCall, type Span } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import { type Method, methodNamed } from '../language/functions.ts';
import { MAX_DECISION_STEPS, MAX_STEPS } from '../language/limits.ts';
import { elementOf, type Type } from '../language/types.ts';
import { element, field, root, slice } from './access.ts';
import { comparison } from './compare.ts';
import { constructed, retyped } from './constructed.ts';
import { type Code, type Context, combined, type EvaluationFailure, fail, type Request, spend } from './context.ts';
import { type Equal, equality, failedElement } from './equality.ts';
import { kindName, reader } from './values.ts';

/**
 * How a failing clause affects the whole (docs/policy-language.md, section 10):
 * - `strict`: the whole fails.
 * - `lenient`: the clause is false.
 * - `kleene`: the clause is unknown, and so is the whole, unless another clause settles it.
 */
export type Mode = 'strict' | 'lenient' | 'kleene';

/** An expression that is ready to run. `cost` excludes the predicates of its methods. */
export type Program = { readonly code: Code; readonly cost: number; readonly span: Span; readonly kleene: boolean };

export type Result = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: EvaluationFailure };

const exhausted = { code: 'steps', message: `the policies of one decision need more than ${MAX_DECISION_STEPS} steps` } as const;

/** Runs a program on a request. Never throws. */
export function run(program: Program, request: Request): Result {
  const { budget } = request;
  if (budget !== undefined && budget.left <= 0) return { ok: false, failure: { ...exhausted, span: program.span } };
  const context: Context = { request, variables: [], steps: program.cost, kleene: program.kleene, failure: undefined };
  try {
    const value = program.code(context);
    if (budget !== undefined) budget.left -= context.steps;
    if (value !== undefined) return { ok: true, value };
  } catch {
    return { ok: false, failure: { code: 'internal', message: 'the expression could not be evaluated', span: program.span } };
  }
  const unknown: EvaluationFailure = { code: 'internal', message: 'the expression has no value', span: program.span };
  return { ok: false, failure: context.failure ?? unknown };
}

/** Turns a checked expression into closures. Every operand is evaluated, even after one fails: there is no short circuit. */
export function program(expr: Expr, facts: Facts, mode: Mode = 'strict'): Program {
  const code = mode === 'strict' ? compile(expr, facts) : clauses[mode](expr, facts);
  return { code, cost: costOf(expr), span: expr.span, kleene: mode === 'kleene' };
}

// The closures below hold only run-time values, never `expr` or `facts`: a policy outlives its tree.

/** The number of nodes evaluated once per evaluation of `expr`. */
function costOf(expr: Expr): number {
  if (expr.kind === 'method' && expr.variable !== undefined) return 1 + costOf(expr.object);
  let cost = 1;
  for (const child of childrenOf(expr)) cost += costOf(child);
  return cost;
}

/**
 * A clause is an operand of `&&` and `||` from the top down. It is also the predicate of an `all` or `any` that is a clause.
 * Only there can false replace a failure without making the whole true.
 */
function clauseCode(settled: (clause: Code) => Code): Compile {
  return function clause(expr, facts) {
    if (expr.kind === 'and' || expr.kind === 'or')
      return connection(expr.kind === 'or', compileAll(expr.operands, facts, clause));
    const quantifier = expr.kind === 'method' && (expr.name === 'all' || expr.name === 'any');
    return settled(quantifier ? method(expr, facts, clause) : compile(expr, facts));
  };
}

function falseIfFailed(clause: Code): Code {
  return (context) => {
    const value = clause(context);
    if (value !== undefined || context.steps > MAX_STEPS) return value;
    context.failure = undefined;
    return false;
  };
}

/** One absent operand makes the whole clause absent, whatever the others are. */
function falseIfAbsent(clause: Code): Code {
  return (context) => {
    const before = context.failure;
    context.failure = undefined;
    const value = clause(context);
    const isAbsent = context.failure !== undefined && (context.failure as EvaluationFailure).code === 'absent';
    context.failure = before ?? (isAbsent ? undefined : context.failure);
    return isAbsent ? false : value;
  };
}

const clauses = { lenient: clauseCode(falseIfFailed), kleene: clauseCode(falseIfAbsent) } as const;

function compile(expr: Expr, facts: Facts): Code {
  const fact = facts.get(expr)!;
  if (fact.root !== undefined) return root(fact.root, fact.type, expr.span);
  switch (expr.kind) {
    case 'literal':
      return constant(expr.value);
    case 'name':
      return variable(fact.slot!);
    case 'list':
      return listLiteral(expr.items, facts);
    case 'struct':
      return structLiteral(expr, facts);
    case 'member': {
      const object = compile(expr.object, facts);
      const { type } = facts.get(expr.object)!;
      if (type.kind === 'struct') return field(expr, object, type);
      return callOf(methodNamed(expr.name)!, object, type, expr.span, undefined, undefined, never);
    }
    case 'index':
      return element(expr, compile(expr.object, facts), compile(expr.index, facts), facts.get(expr.object)!.type);
    case 'slice':
      return slice(expr, compile(expr.object, facts), compile(expr.from, facts), compile(expr.to, facts));
    case 'method':
      return method(expr, facts, compile);
    case 'constructor':
      if (fact.type.kind === 'string') return retyped(expr.name, compile(expr.args[0]!, facts), expr.span);
      return constructed(fact.constant, expr.span);
    case 'not':
      return negation(compile(expr.operand, facts));
    case 'and':
    case 'or':
      return connection(expr.kind === 'or', compileAll(expr.operands, facts, compile));
    case 'compare': {
      const { left, right } = expr;
      return comparison(expr, compile(left, facts), compile(right, facts), facts.get(left)!.type, facts.get(right)!.type);
    }
  }
}

function compileAll(exprs: readonly Expr[], facts: Facts, how: Compile): Code[] {
  return exprs.map((expr) => how(expr, facts));
}

function constant(value: unknown): Code {
  return () => value;
}

function variable(slot: number): Code {
  return (context) => context.variables[slot];
}

function negation(operand: Code): Code {
  return (context) => {
    const value = operand(context);
    return value === undefined ? undefined : !value;
  };
}

/** `settles`: the operand that decides the whole: true of `||`, false of `&&`. */
function connection(settles: boolean, operands: readonly Code[]): Code {
  return (context) => {
    let isSettled = false;
    let failed = false;
    for (const operand of operands) {
      const value = operand(context);
      if (value === undefined) failed = true;
      else if (value === settles) isSettled = true;
    }
    return combined(context, settles, isSettled, failed);
  };
}

function listLiteral(items: readonly Expr[], facts: Facts): Code {
  if (items.every((item) => item.kind === 'literal')) {
    return constant(items.map((item) => (item as Expr & { kind: 'literal' }).value));
  }
  const codes = compileAll(items, facts, compile);
  return (context) => {
    const values = codes.map((code) => code(context));
    return values.includes(undefined) ? undefined : values;
  };
}

function structLiteral(expr: Expr & { kind: 'struct' }, facts: Facts): Code {
  const names = expr.fields.map(({ name }) => name);
  const codes = compileAll(childrenOf(expr), facts, compile);
  return (context) => {
    const values: Record<string, unknown> = Object.create(null);
    let whole = true;
    for (const [at, code] of codes.entries()) {
      const value = code(context);
      if (value === undefined) whole = false;
      values[names[at]!] = value;
    }
    return whole ? values : undefined;
  };
}

type Compile = (expr: Expr, facts: Facts) => Code;

/** `body` compiles the predicate: as a clause, if the call itself is one. */
function method(expr: MethodCall, facts: Facts, body: Compile): Code {
  const row = methodNamed(expr.name)!;
  const object = compile(expr.object, facts);
  const type = facts.get(expr.object)!.type;
  if (expr.variable === undefined) {
    const argument = expr.args[0];
    const argumentType = argument && facts.get(argument)!.type;
    return callOf(row, object, type, expr.span, argument && compile(argument, facts), argumentType, never);
  }
  const predicate = expr.args[0]!;
  const code = body(predicate, facts);
  const cost = costOf(predicate);
  const read = reader(elementOf(type));
  const slot = facts.get(expr)!.slot!;
  const { span } = expr;
  return callOf(row, object, type, expr.span, undefined, undefined, (context, given) => {
    if (!spend(context, cost, span)) return undefined;
    const value = read(given);
    if (value === undefined) return failedElement(context, span);
    context.variables[slot] = value;
    return code(context) as boolean | undefined;
  });
}

const never = (): undefined => undefined;

function callOf(
  row: Method,
  object: Code,
  type: Type,
  span: Span,
  argument: Code | undefined,
  argumentType: Type | undefined,
  predicate: (context: Context, element: unknown) => boolean | undefined,
): Code {
  const of = elementOf(type);
  const equal: Equal = argumentType === undefined ? never : equality(of, argumentType, span);
  const site = { span, read: reader(of), predicate, equal };
  return (context) => {
    const receiver = object(context);
    const given = argument === undefined ? null : argument(context);
    if (receiver === undefined || given === undefined) return undefined;
    const fits = row.on === 'list' ? Array.isArray(receiver) : typeof receiver === 'string';
    if (!fits) return fail(context, 'kind', `\`${row.name}\` needs a ${row.on}, but this is ${kindName(receiver)}`, span);
    return row.run(context, receiver, site, given);
  };
}
