import { childrenOf, type Expr, type MethodCall, type Span } from './ast.ts';
import type { Facts } from './checker.ts';
import { comparison } from './compare.ts';
import { ABSENT, BAD, type Code, type Context, type Failure, fail, type Request, readRoot, spend } from './context.ts';
import { type Equal, equality, failedElement } from './equality.ts';
import { type Method, methodNamed } from './functions.ts';
import { MAX_STEPS } from './limits.ts';
import type { CronSpan } from './time.ts';
import { DYNAMIC, elementOf, fieldName, type StructType, TIMESTAMP, type Type } from './types.ts';
import { entryOf, isObject, kindName, reader } from './values.ts';

/** An expression that is ready to run. `cost` is what it takes but for the predicates of its methods. */
export type Program = { readonly code: Code; readonly cost: number; readonly span: Span };

export type Result = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };

/** Runs a program on a request. Never throws. */
export function run(program: Program, request: Request): Result {
  const context: Context = { request, variables: [], steps: program.cost, failure: undefined };
  try {
    const value = program.code(context);
    if (value !== undefined) return { ok: true, value };
  } catch {
    return { ok: false, failure: { code: 'internal', message: 'the expression could not be evaluated', span: program.span } };
  }
  const unknown: Failure = { code: 'internal', message: 'the expression has no value', span: program.span };
  return { ok: false, failure: context.failure ?? unknown };
}

/**
 * Turns a checked expression into closures. Every operand is evaluated, also after one has failed: there is no short circuit.
 * A lenient program takes a clause that fails as false; only where that cannot turn the whole from false to true.
 */
export function program(expr: Expr, facts: Facts, lenient = false): Program {
  const code = lenient ? lenientCode(expr, facts) : compile(expr, facts);
  return { code, cost: costOf(expr), span: expr.span };
}

/** Nodes that are evaluated once for each evaluation of `expr`. */
function costOf(expr: Expr): number {
  if (expr.kind === 'method' && expr.variable !== undefined) return 1 + costOf(expr.object);
  let cost = 1;
  for (const child of childrenOf(expr)) cost += costOf(child);
  return cost;
}

function lenientCode(expr: Expr, facts: Facts): Code {
  if (expr.kind === 'and' || expr.kind === 'or') {
    const operands = expr.operands.map((operand) => lenientCode(operand, facts));
    return expr.kind === 'and' ? conjunction(operands) : disjunction(operands);
  }
  const quantifier = expr.kind === 'method' && (expr.name === 'all' || expr.name === 'any');
  const clause = quantifier ? method(expr, facts, lenientCode) : compile(expr, facts);
  return (context) => {
    const value = clause(context);
    if (value !== undefined || context.steps > MAX_STEPS) return value;
    context.failure = undefined;
    return false;
  };
}

function compile(expr: Expr, facts: Facts): Code {
  const fact = facts.get(expr)!;
  if (fact.root !== undefined) return root(fact.root, fact.type, expr.span);
  switch (expr.kind) {
    case 'literal': {
      const { value } = expr;
      return () => value;
    }
    case 'name': {
      const slot = fact.slot!;
      return (context) => context.variables[slot];
    }
    case 'list':
      return listLiteral(expr.items, facts);
    case 'struct':
      return structLiteral(expr, facts);
    case 'member':
      return member(expr, facts);
    case 'index':
      return index(expr, facts);
    case 'slice':
      return slice(expr, facts);
    case 'method':
      return method(expr, facts, compile);
    case 'constructor':
      return constructed(fact.constant, expr.span);
    case 'not': {
      const operand = compile(expr.operand, facts);
      return (context) => {
        const value = operand(context);
        return value === undefined ? undefined : !value;
      };
    }
    case 'and':
      return conjunction(expr.operands.map((operand) => compile(operand, facts)));
    case 'or':
      return disjunction(expr.operands.map((operand) => compile(operand, facts)));
    case 'compare': {
      const { left, right } = expr;
      return comparison(expr, compile(left, facts), compile(right, facts), facts.get(left)!.type, facts.get(right)!.type);
    }
  }
}

function root(keyword: string, type: Type, span: Span): Code {
  const read = reader(type);
  return (context) => {
    const given = readRoot(context.request, keyword);
    if (given === ABSENT) return fail(context, 'absent', `\`${keyword}\` is absent: the activity has none`, span);
    const value = given === BAD ? undefined : read(given);
    return value === undefined ? fail(context, 'value', `\`${keyword}\` could not be read`, span) : value;
  };
}

function conjunction(operands: readonly Code[]): Code {
  return (context) => {
    let result: boolean | undefined = true;
    for (const operand of operands) {
      const value = operand(context);
      if (value === undefined) result = undefined;
      else if (value === false && result !== undefined) result = false;
    }
    return result;
  };
}

function disjunction(operands: readonly Code[]): Code {
  return (context) => {
    let result: boolean | undefined = false;
    for (const operand of operands) {
      const value = operand(context);
      if (value === undefined) result = undefined;
      else if (value === true && result !== undefined) result = true;
    }
    return result;
  };
}

function listLiteral(items: readonly Expr[], facts: Facts): Code {
  if (items.every((item) => item.kind === 'literal')) {
    const values = items.map((item) => (item as Expr & { kind: 'literal' }).value);
    return () => values;
  }
  const codes = items.map((item) => compile(item, facts));
  return (context) => {
    const values = codes.map((code) => code(context));
    return values.includes(undefined) ? undefined : values;
  };
}

function structLiteral(expr: Expr & { kind: 'struct' }, facts: Facts): Code {
  const fields = expr.fields.map(({ name, value }) => ({ name, code: compile(value, facts) }));
  return (context) => {
    const values: Record<string, unknown> = Object.create(null);
    let whole = true;
    for (const { name, code } of fields) {
      const value = code(context);
      if (value === undefined) whole = false;
      values[name] = value;
    }
    return whole ? values : undefined;
  };
}

function member(expr: Expr & { kind: 'member' }, facts: Facts): Code {
  const object = compile(expr.object, facts);
  const type = facts.get(expr.object)!.type;
  if (type.kind !== 'struct') return callOf(methodNamed(expr.name)!, object, type, expr.span, undefined, undefined, never);
  const name = fieldName(type, expr.name)!;
  const read = reader(type.fields[name]!);
  return (context) => {
    const value = object(context);
    if (value === undefined) return undefined;
    const given = entryOf(value as object, name) ?? undefined;
    if (given === undefined) return missingField(context, type, name, expr.nameSpan);
    const own = read(given);
    return own === undefined ? fail(context, 'value', `the field \`${name}\` is not of its type`, expr.nameSpan) : own;
  };
}

function missingField(context: Context, type: StructType, name: string, span: Span): undefined {
  const { tag } = type;
  if (tag !== undefined) {
    const holder = readRoot(context.request, tag.root);
    const key = isObject(holder) ? entryOf(holder, tag.field) : undefined;
    const own = typeof key === 'string' && Object.hasOwn(tag.fieldsOf, key) ? tag.fieldsOf[key]! : [];
    if (typeof key === 'string' && !own.includes(name)) {
      return fail(context, 'absent', `\`${name}\` is absent: this activity's type has no such parameter`, span);
    }
  }
  return fail(context, 'missing', `the field \`${name}\` is missing`, span);
}

function index(expr: Expr & { kind: 'index' }, facts: Facts): Code {
  const object = compile(expr.object, facts);
  const key = compile(expr.index, facts);
  const type = facts.get(expr.object)!.type;
  const read = reader(type.kind === 'list' || type.kind === 'map' ? type.of : DYNAMIC);
  const { span } = expr;
  return (context) => {
    const value = object(context);
    const at = key(context);
    if (value === undefined || at === undefined) return undefined;
    if (isObject(value)) {
      if (typeof at !== 'string')
        return fail(context, 'kind', `a map needs a string as its key, but this is ${kindName(at)}`, expr.index.span);
      const entry = entryOf(value, at);
      if (entry === undefined) return fail(context, 'missing', 'the key is missing', span);
      const own = read(entry);
      return own === undefined ? fail(context, 'value', 'a map holds something else than its type says', span) : own;
    }
    if (typeof value !== 'string' && !Array.isArray(value))
      return fail(context, 'kind', `${kindName(value)} cannot be indexed`, expr.object.span);
    const position = positionOf(context, at, expr.index.span);
    if (position === undefined) return undefined;
    const element = value[position];
    if (element === undefined)
      return fail(context, 'range', `there is no index ${position}: the length is ${value.length}`, span);
    if (typeof value === 'string') return element;
    const own = read(element);
    return own === undefined ? failedElement(context, span) : own;
  };
}

function slice(expr: Expr & { kind: 'slice' }, facts: Facts): Code {
  const object = compile(expr.object, facts);
  const from = compile(expr.from, facts);
  const to = compile(expr.to, facts);
  const { span } = expr;
  return (context) => {
    const value = object(context);
    const first = from(context);
    const last = to(context);
    if (value === undefined || first === undefined || last === undefined) return undefined;
    if (typeof value !== 'string' && !Array.isArray(value))
      return fail(context, 'kind', `${kindName(value)} cannot be sliced`, expr.object.span);
    const start = positionOf(context, first, expr.from.span);
    const end = positionOf(context, last, expr.to.span);
    if (start === undefined || end === undefined) return undefined;
    if (start < 0 || start > end || end > value.length) {
      return fail(context, 'range', `the slice ${start}..${end} is out of range: the length is ${value.length}`, span);
    }
    return spend(context, Array.isArray(value) ? end - start : 0, span) ? value.slice(start, end) : undefined;
  };
}

/** An integer as a position. Those that no list or string can have become -1, which is out of range everywhere. */
function positionOf(context: Context, value: unknown, span: Span): number | undefined {
  if (typeof value !== 'bigint')
    return fail(context, 'kind', `a position must be an integer, but this is ${kindName(value)}`, span);
  return value >= 0n && value <= 0xffff_ffffn ? Number(value) : -1;
}

type Compile = (expr: Expr, facts: Facts) => Code;

/** `body` compiles the predicate: strictly, or leniently where the call itself is a lenient clause. */
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
  return callOf(row, object, type, expr.span, undefined, undefined, (context, element) => {
    if (!spend(context, cost, expr.span)) return undefined;
    const value = read(element);
    if (value === undefined) return failedElement(context, expr.span);
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
  const element = elementOf(type);
  const equal: Equal = argumentType === undefined ? never : equality(element, argumentType, span);
  const site = { span, read: reader(element), predicate, equal };
  return (context) => {
    const receiver = object(context);
    const given = argument === undefined ? null : argument(context);
    if (receiver === undefined || given === undefined) return undefined;
    const fits = row.on === 'list' ? Array.isArray(receiver) : typeof receiver === 'string';
    if (!fits) return fail(context, 'kind', `\`${row.name}\` needs a ${row.on}, but this is ${kindName(receiver)}`, span);
    return row.run(context, receiver, site, given);
  };
}

function constructed(constant: unknown, span: Span): Code {
  if (typeof constant !== 'function') return () => constant;
  const open = constant as CronSpan;
  const now = root('time.now', TIMESTAMP, span);
  return (context) => {
    const instant = now(context);
    return instant === undefined ? undefined : open(instant as number);
  };
}
