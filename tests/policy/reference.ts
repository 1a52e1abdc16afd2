/**
 * A second evaluator, written from docs/policy-language.md and compared with the engine. It shares the syntax tree and the
 * type descriptions with it, and nothing else. It is slow and plain on purpose: a value carries its type along.
 */

import type { Environment } from '../../src/policy/index.ts';
import type { Expr } from '../../src/policy/language/ast.ts';
import { type StructType, type Type, typeName } from '../../src/policy/language/types.ts';
import { scriptOf } from './bitcoin-scripts.ts';

type Some = { readonly type: Type; readonly value: unknown };
type Fails = { readonly fails: 'absent' | 'otherwise' };
type Answer = Some | Fails;
type Scope = ReadonlyMap<string, Some>;
type World = { readonly environment: Environment; readonly roots: Readonly<Record<string, unknown>>; readonly mode: Mode };
type Mode = 'strict' | 'lenient' | 'kleene';

const FAILS: Fails = { fails: 'otherwise' };
const DYNAMIC: Type = { kind: 'dynamic' };
const INT: Type = { kind: 'int' };
const CASELESS: Type = { kind: 'string', form: 'caseless' };
const bool = (value: boolean): Some => ({ type: { kind: 'bool' }, value });
const failed = (answer: Answer): answer is Fails => 'fails' in answer;
const absent = (answer: Answer): answer is Fails => failed(answer) && answer.fails === 'absent';
const firstFailure = (answers: readonly Answer[]): Fails | undefined => answers.find(absent) ?? answers.find(failed);

/** True, false, or how it fails. */
export function evaluate(
  expr: Expr,
  environment: Environment,
  roots: World['roots'],
  mode: Mode = 'strict',
): boolean | Fails['fails'] {
  const answer = clause(expr, { environment, roots, mode }, new Map());
  return failed(answer) ? answer.fails : answer.value === true;
}

/** Pins (section 10), and then the condition itself. */
export function condition(expr: Expr, environment: Environment, roots: World['roots']): boolean | Fails['fails'] {
  const flat = (e: Expr): Expr[] => (e.kind === 'and' ? e.operands.flatMap(flat) : [e]);
  const pins = flat(expr).filter((each) => pinnedField(each) !== undefined);
  const settled = pins.some((each) => [false, 'absent'].includes(evaluate(each, environment, roots)));
  return settled ? false : evaluate(expr, environment, roots);
}

const indexed = /^(activity\.(type|kind|resource|action)|(wallet|private_key)\.id|wallet_account\.address|eth\.tx\.to)$/;

function pinnedField(e: Expr): string | undefined {
  if (e.kind === 'or') {
    const [first, ...others] = e.operands.map(pinnedField);
    return others.every((other) => other === first) ? first : undefined;
  }
  const path = (x: Expr): string => (x.kind === 'member' ? `${path(x.object)}.${x.name}` : x.kind === 'name' ? x.name : '?');
  const text = (x: Expr): boolean => x.kind === 'literal' && typeof x.value === 'string';
  const field = (x: Expr): string | undefined => (indexed.test(path(x)) ? path(x) : undefined);
  if (e.kind === 'compare' && e.operator === 'in')
    return e.right.kind === 'list' && e.right.items.every(text) ? field(e.left) : undefined;
  if (e.kind !== 'compare' || e.operator !== '==') return undefined;
  return text(e.right) ? field(e.left) : text(e.left) ? field(e.right) : undefined;
}

function clause(e: Expr, w: World, s: Scope): Answer {
  if (w.mode === 'strict') return visit(e, w, s);
  const operands = e.kind === 'and' || e.kind === 'or' ? e.operands.map((operand) => clause(operand, w, s)) : [];
  if (e.kind === 'and' || e.kind === 'or') return connect(e.kind, operands, w);
  const whole = e.kind === 'method' && (e.name === 'all' || e.name === 'any') ? method(e, w, s, clause) : visit(e, w, s);
  return (w.mode === 'kleene' ? absent(whole) : failed(whole)) ? bool(false) : whole;
}

function connect(kind: 'and' | 'or', answers: readonly Answer[], { mode }: World): Answer {
  const settles = kind === 'or';
  const isSettled = answers.some((answer) => 'value' in answer && answer.value === settles);
  const hides = mode === 'kleene' && isSettled && !answers.some(absent);
  return (hides ? undefined : firstFailure(answers)) ?? bool(isSettled === settles);
}

/** Evaluates all parts, and goes on if none failed. */
function all(parts: readonly Expr[], w: World, s: Scope, then: (...parts: Some[]) => Answer): Answer {
  const answers = parts.map((part) => visit(part, w, s));
  return firstFailure(answers) ?? then(...(answers as Some[]));
}

function visit(e: Expr, w: World, s: Scope): Answer {
  const root = rootOf(e, w, s);
  if (root !== undefined) return root;
  switch (e.kind) {
    case 'literal':
      if (typeof e.value === 'boolean') return bool(e.value);
      return { type: typeof e.value === 'bigint' ? INT : { kind: 'string', form: 'plain' }, value: e.value };
    case 'name':
      return s.get(e.name)!;
    case 'list':
      return all(e.items, w, s, (...items) => {
        const formed = (form: string) => items.find(({ type }) => isForm(form, type));
        const of = formed('bitcoin_address') ?? formed('hex') ?? items[0];
        return { type: { kind: 'list', of: of?.type ?? DYNAMIC }, value: items.map(({ value }) => value) };
      });
    case 'struct': {
      const given = e.fields.map(({ value }) => value);
      return all(given, w, s, (...values) => {
        const named = (key: keyof Some): object => Object.fromEntries(e.fields.map(({ name }, at) => [name, values[at]![key]]));
        return { type: { kind: 'struct', name: 'struct', fields: named('type') as StructType['fields'] }, value: named('value') };
      });
    }
    case 'member':
      return all([e.object], w, s, (object) => {
        if (object.type.kind === 'struct') return field(object, object.type, e.name, w);
        return Array.isArray(object.value) ? { type: INT, value: BigInt(object.value.length) } : FAILS;
      });
    case 'index':
      return all([e.object, e.index], w, s, (object, key) => element(object, key.value));
    case 'slice':
      return all([e.object, e.from, e.to], w, s, ({ type, value }, { value: from }, { value: to }) => {
        if (typeof from !== 'bigint' || typeof to !== 'bigint' || (!Array.isArray(value) && typeof value !== 'string'))
          return FAILS;
        if (from < 0n || from > to || to > BigInt(value.length)) return FAILS;
        return { type, value: value.slice(Number(from), Number(to)) };
      });
    case 'method':
      return method(e, w, s, visit);
    case 'not':
      return all([e.operand], w, s, (operand) => bool(!operand.value));
    case 'and':
    case 'or':
      return connect(
        e.kind,
        e.operands.map((operand) => visit(operand, w, s)),
        w,
      );
    case 'compare':
      return all([e.left, e.right], w, s, (left, right) => compare(e.operator, left, right, w));
    case 'constructor':
      if (e.name === 'CaseInsensitiveString')
        return all(e.args, w, s, ({ value }) => (typeof value === 'string' ? { type: CASELESS, value } : FAILS));
      return { type: { kind: 'timestamp' }, value: { epochMs: Date.parse((e.args[0] as Expr & { value: string }).value) } };
  }
}

function rootOf(e: Expr, w: World, s: Scope): Answer | undefined {
  const two = e.kind === 'member' && e.object.kind === 'name' && !s.has(e.object.name) ? `${e.object.name}.${e.name}` : undefined;
  const keyword = e.kind === 'name' && !s.has(e.name) ? e.name : two;
  const type = keyword === undefined ? undefined : w.environment.roots.get(keyword)?.type;
  if (type === undefined) return undefined;
  return w.roots[keyword!] === undefined ? { fails: 'absent' } : { type, value: w.roots[keyword!] };
}

function field(object: Some, type: StructType, name: string, w: World): Answer {
  const own = type.aliases?.[name] ?? name;
  if (type.open !== undefined) {
    const given = (object.value as Record<string, unknown>)[name];
    return given === undefined ? { fails: 'absent' } : typeof given === 'boolean' ? { type: type.open, value: given } : FAILS;
  }
  const value = (object.value as Record<string, unknown>)[own];
  if (value !== undefined) return { type: type.fields[own]!, value };
  const listed = type.tag?.fieldsOf[(w.roots.activity as { type: string }).type]?.includes(own);
  return type.tag !== undefined && listed !== true ? { fails: 'absent' } : FAILS;
}

function element({ type, value }: Some, key: unknown): Answer {
  const of = 'of' in type ? type.of : type;
  if (typeof value === 'string' || Array.isArray(value)) {
    const inside = typeof key === 'bigint' && key >= 0n && key < BigInt(value.length);
    return inside ? { type: of, value: value[Number(key)] } : FAILS;
  }
  if (typeof value !== 'object' || value === null || typeof key !== 'string' || !Object.hasOwn(value, key)) return FAILS;
  return { type: of, value: (value as Record<string, unknown>)[key] };
}

function method(e: Expr & { kind: 'method' }, w: World, s: Scope, predicate: typeof visit): Answer {
  return all([e.object, ...(e.variable === undefined ? e.args : [])], w, s, (object, argument) => {
    const { type, value } = object;
    if (e.name === 'hex_to_uint') {
      const digits = typeof value === 'string' ? /^(?:0x)?([0-9a-fA-F]{1,64})$/.exec(value) : null;
      return digits === null ? FAILS : { type: { kind: 'uint' }, value: BigInt(`0x${digits[1]}`) };
    }
    if (!Array.isArray(value)) return FAILS;
    if (e.name === 'count') return { type: INT, value: BigInt(value.length) };
    if (e.name === 'contains') return compare('in', argument!, object, w);
    const of = type.kind === 'list' ? type.of : DYNAMIC;
    const answers = value.map((item) => predicate(e.args[0]!, w, new Map([...s, [e.variable!, { type: of, value: item }]])));
    if (e.name !== 'filter') return connect(e.name === 'all' ? 'and' : 'or', answers, w);
    const kept = value.filter((_, at) => (answers[at] as Some).value === true);
    return firstFailure(answers) ?? { type: { kind: 'list', of }, value: kept };
  });
}

const isForm = (form: string, ...types: Type[]): boolean => types.some((type) => typeName(type) === form);
const asciiLower = (text: string): string => [...text].map((c) => (c >= 'A' && c <= 'Z' ? c.toLowerCase() : c)).join('');
const instant = (value: unknown): number | undefined => (value as { epochMs?: number } | null)?.epochMs;
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^-?[0-9]{1,80}$/.test(value);

function compare(operator: string, a: Some, b: Some, w: World): Answer {
  if (operator === '==') return equal(a, b);
  const same = equal(a, b);
  if (operator === '!=') return failed(same) ? same : bool(!same.value);
  if (operator === 'in') {
    const type = b.type.kind === 'list' ? b.type.of : DYNAMIC;
    const answers = Array.isArray(b.value) ? b.value.map((value) => equal({ type, value }, a)) : [FAILS];
    return connect('or', answers, w);
  }
  const ordinal = (value: unknown): unknown => (isDecimal(value) ? BigInt(value) : (instant(value) ?? value));
  const [x, y] = [ordinal(a.value), ordinal(b.value)];
  if ((typeof x !== 'bigint' && typeof x !== 'number') || typeof x !== typeof y) return FAILS;
  return bool(x === y ? operator.endsWith('=') : x < (y as bigint) === operator.startsWith('<'));
}

function equal(a: Some, b: Some): Answer {
  const [x, y] = [a.value, b.value];
  if (typeof x === 'string' && typeof y === 'string') {
    const caseless = /^(0x[\da-fA-F]+|[\da-fA-F]{8}(-[\da-fA-F]{4}){4}[\da-fA-F]{8})$/;
    if (isForm('caseless', a.type, b.type)) return bool(asciiLower(x) === asciiLower(y));
    const bitcoin = isForm('bitcoin_address', a.type, b.type);
    if (bitcoin && scriptOf(x) !== undefined) return bool(scriptOf(x) === scriptOf(y));
    const loose = isForm('hex', a.type, b.type) && !bitcoin ? /^\p{ASCII}*$/u : caseless;
    return bool(x === y || (loose.test(x) && loose.test(y) && x.toLowerCase() === y.toLowerCase()));
  }
  if (typeof x === 'bigint' && typeof y === 'string') return bool(isDecimal(y) && BigInt(y) === x);
  if (typeof x === 'string' && typeof y === 'bigint') return equal(b, a);
  if (instant(x) !== undefined) return bool(instant(x) === instant(y));
  return typeof x === typeof y && (typeof x === 'bigint' || typeof x === 'boolean') ? bool(x === y) : FAILS;
}
