import { type CompareOperator, childrenOf, type Expr, type Span, type StructField } from './ast.ts';
import { lex, type Token } from './lex.ts';
import { INT_MIN, MAX_DEPTH, MAX_SOURCE_LENGTH, UINT_MAX } from './limits.ts';
import type { Problem } from './problem.ts';

export type Parsed = { ok: true; expr: Expr } | { ok: false; problem: Problem };

/** Methods whose first argument names a variable for the second. */
const binders: ReadonlySet<string> = new Set(['all', 'any', 'filter']);
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const wordOperators: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!', AND: '&&', OR: '||', NOT: '!' };

type Parser = { readonly tokens: readonly Token[]; at: number; nesting: number; readonly heights: Map<Expr, number> };

/** Carries a problem up to `parse`, which returns it as data. */
class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Parses one expression, which may end with one `;`. */
export function parse(source: string): Parsed {
  if (source.length > MAX_SOURCE_LENGTH) {
    const span = { start: MAX_SOURCE_LENGTH, end: source.length };
    return { ok: false, problem: { message: `the expression is longer than ${MAX_SOURCE_LENGTH} characters`, span } };
  }
  const lexed = lex(source);
  if (!lexed.ok) return lexed;
  const parser: Parser = { tokens: lexed.tokens, at: 0, nesting: 0, heights: new Map() };
  try {
    const expr = expression(parser);
    accept(parser, ';');
    if (current(parser).kind !== 'end') unexpected(parser, 'expected an operator or the end');
    return { ok: true, expr };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem };
    throw error;
  }
}

function expression(p: Parser): Expr {
  p.nesting += 1;
  if (p.nesting > MAX_DEPTH) tooDeep(current(p).span);
  const expr = chain(p, '||', 'or', () => chain(p, '&&', 'and', () => comparison(p)));
  p.nesting -= 1;
  return expr;
}

function chain(p: Parser, symbol: string, kind: 'and' | 'or', operand: () => Expr): Expr {
  const first = operand();
  if (!isSymbol(p, symbol)) return first;
  const operands = [first];
  while (accept(p, symbol)) operands.push(operand());
  return made(p, { kind, operands, span: join(first.span, operands.at(-1)!.span) });
}

function comparison(p: Parser): Expr {
  const left = unary(p);
  const operator = comparisonOperator(p);
  if (operator === undefined) return left;
  p.at += 1;
  const right = unary(p);
  if (comparisonOperator(p) !== undefined) {
    throw new Refused({ message: 'comparisons do not chain', span: current(p).span, hint: 'join two comparisons with `&&`' });
  }
  return made(p, { kind: 'compare', operator, left, right, span: join(left.span, right.span) });
}

function comparisonOperator(p: Parser): CompareOperator | undefined {
  const { kind, text } = current(p);
  return (kind === 'symbol' || kind === 'name') && comparisons.has(text) ? (text as CompareOperator) : undefined;
}

function unary(p: Parser): Expr {
  const starts: number[] = [];
  for (let start = current(p).span.start; accept(p, '!'); start = current(p).span.start) starts.push(start);
  let expr = postfix(p);
  for (const start of starts.reverse()) expr = made(p, { kind: 'not', operand: expr, span: { start, end: expr.span.end } });
  return expr;
}

function postfix(p: Parser): Expr {
  const start = current(p).span.start;
  let expr = primary(p);
  for (;;) {
    if (accept(p, '.')) expr = afterDot(p, expr, start);
    else if (accept(p, '[')) expr = afterBracket(p, expr, start);
    else return expr;
  }
}

function afterDot(p: Parser, object: Expr, start: number): Expr {
  const nameSpan = current(p).span;
  const name = identifier(p, 'a field or function name');
  if (!accept(p, '(')) return made(p, { kind: 'member', object, name, nameSpan, span: { start, end: nameSpan.end } });
  let variable: string | undefined;
  if (binders.has(name)) {
    variable = identifier(p, `a variable name: \`.${name}(item, …)\``);
    expect(p, ',');
  }
  const args = variable === undefined ? until(p, ')') : [expression(p)];
  if (variable !== undefined) expect(p, ')');
  return made(p, { kind: 'method', object, name, nameSpan, variable, args, span: { start, end: previousEnd(p) } });
}

function afterBracket(p: Parser, object: Expr, start: number): Expr {
  const first = expression(p);
  const to = accept(p, '..') ? expression(p) : undefined;
  expect(p, ']');
  const span = { start, end: previousEnd(p) };
  return made(
    p,
    to === undefined ? { kind: 'index', object, index: first, span } : { kind: 'slice', object, from: first, to, span },
  );
}

function primary(p: Parser): Expr {
  const token = current(p);
  const { span } = token;
  if (token.kind === 'int') return { kind: 'literal', value: integer(p), span };
  if (token.kind === 'string') {
    p.at += 1;
    return { kind: 'literal', value: token.text, span };
  }
  if (token.kind === 'name' && token.text !== 'in') {
    p.at += 1;
    if (token.text === 'true' || token.text === 'false') return { kind: 'literal', value: token.text === 'true', span };
    if (!accept(p, '(')) return { kind: 'name', name: token.text, span };
    const args = until(p, ')');
    const whole = { start: span.start, end: previousEnd(p) };
    return made(p, { kind: 'constructor', name: token.text, nameSpan: span, args, span: whole });
  }
  if (accept(p, '(')) {
    const inner = expression(p);
    expect(p, ')');
    return enclosed(p, inner, { start: span.start, end: previousEnd(p) });
  }
  if (accept(p, '[')) {
    const items = until(p, ']');
    return made(p, { kind: 'list', items, span: { start: span.start, end: previousEnd(p) } });
  }
  if (accept(p, '{')) return structLiteral(p, span.start);
  return unexpected(p, 'expected a value');
}

function structLiteral(p: Parser, start: number): Expr {
  const fields: StructField[] = [];
  do {
    const nameSpan = current(p).span;
    const name = identifier(p, 'a field name');
    expect(p, ':');
    fields.push({ name, nameSpan, value: expression(p) });
  } while (accept(p, ','));
  expect(p, '}');
  return made(p, { kind: 'struct', fields, span: { start, end: previousEnd(p) } });
}

function integer(p: Parser): bigint {
  const { text, span } = current(p);
  // Longer digit strings than the largest value's are not converted.
  const value = text.replace(/^-?0+(?=\d)/, '').length > 79 ? undefined : BigInt(text);
  if (value === undefined || value < INT_MIN || value > UINT_MAX) {
    throw new Refused({ message: 'the number is out of range', span, hint: 'the range is -2^127 to 2^256 - 1' });
  }
  p.at += 1;
  return value;
}

function until(p: Parser, close: string): Expr[] {
  if (accept(p, close)) return [];
  const items = [expression(p)];
  while (accept(p, ',')) items.push(expression(p));
  expect(p, close);
  return items;
}

function identifier(p: Parser, wanted: string): string {
  const { kind, text } = current(p);
  if (kind !== 'name' || text === 'true' || text === 'false' || text === 'in') return unexpected(p, `expected ${wanted}`);
  p.at += 1;
  return text;
}

function current(p: Parser): Token {
  return p.tokens[p.at]!;
}

function previousEnd(p: Parser): number {
  return p.tokens[p.at - 1]!.span.end;
}

function isSymbol(p: Parser, symbol: string): boolean {
  const token = current(p);
  return token.kind === 'symbol' && token.text === symbol;
}

function accept(p: Parser, symbol: string): boolean {
  if (!isSymbol(p, symbol)) return false;
  p.at += 1;
  return true;
}

function expect(p: Parser, symbol: string): void {
  if (!accept(p, symbol)) unexpected(p, `expected \`${symbol}\``);
}

/** Registers a node and enforces the height limit of the tree. */
function made(p: Parser, expr: Expr): Expr {
  let height = 0;
  for (const child of childrenOf(expr)) height = Math.max(height, p.heights.get(child) ?? 1);
  if (height + 1 > MAX_DEPTH) tooDeep(expr.span);
  p.heights.set(expr, height + 1);
  return expr;
}

/** The same node, with its parentheses in its span, so that the span's text is complete. */
function enclosed(p: Parser, inner: Expr, span: Span): Expr {
  const expr = { ...inner, span };
  p.heights.set(expr, p.heights.get(inner) ?? 1);
  return expr;
}

function join(from: Span, to: Span): Span {
  return { start: from.start, end: to.end };
}

function tooDeep(span: Span): never {
  throw new Refused({ message: `the expression is nested deeper than ${MAX_DEPTH} levels`, span });
}

function unexpected(p: Parser, wanted: string): never {
  const { kind, text, span } = current(p);
  const found = kind === 'end' ? 'the expression ended' : kind === 'string' ? 'found a string' : `found \`${text}\``;
  const problem = { message: `${wanted}, but ${found}`, span };
  const hint = kind === 'name' && Object.hasOwn(wordOperators, text) ? `use \`${wordOperators[text]}\`` : undefined;
  throw new Refused(hint === undefined ? problem : { ...problem, hint });
}
