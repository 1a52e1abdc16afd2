import { type Analysed, analyse, type CompiledPolicy } from '../decide/compile.ts';
import { childrenOf, conjuncts, type Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import { type Part, type Place, placeOf } from '../language/problem.ts';
import type { Request } from './context.ts';
import { program, run } from './evaluate.ts';
import { evaluatePolicy, formatFailure, openBallot, type PolicyOutcome, type Voter } from './outcome.ts';

/** One operand of the top-level `&&` of a part. */
export type ExplainedClause = {
  readonly part: Part;
  readonly text: string;
  readonly span: Place;
  readonly result: 'true' | 'false' | 'error';
  readonly message?: string;
};

/** The value of a path. `value` is undefined if it could not be read; then `message` says why. */
export type SeenValue = {
  readonly part: Part;
  readonly path: string;
  readonly span: Place;
  readonly value: unknown;
  readonly message?: string;
};

export type Explanation = {
  readonly outcome: PolicyOutcome;
  readonly reason?: string;
  readonly clauses: readonly ExplainedClause[];
  readonly values: readonly SeenValue[];
  /** The first clause that is not true. */
  readonly failed?: ExplainedClause;
};

/** Why a policy has its outcome: every clause of its parts with its result, and every value that they read. */
export function explain(policy: CompiledPolicy, request: Request, voters: readonly Voter[], nowMs: number): Explanation {
  const ballot = openBallot(voters, nowMs);
  const requests: Readonly<Record<Part, Request>> = { condition: request, consensus: ballot.people, time: ballot.clock };
  const clauses: ExplainedClause[] = [];
  const values: SeenValue[] = [];
  for (const part of ['condition', 'consensus', 'time'] as const) {
    const source = policy.source[part];
    const analysed = analyse(source, part, policy.environment, []);
    if (analysed === undefined) continue;
    for (const clause of conjuncts(analysed.expr)) {
      const place = { part, text: textOf(source, clause), span: placeOf(source, clause.span) };
      const seen = resultOf(clause, analysed.facts, requests[part], part, source);
      clauses.push(
        'message' in seen
          ? { ...place, result: 'error', message: seen.message }
          : { ...place, result: seen.value === true ? 'true' : 'false' },
      );
    }
    for (const path of pathsOf(source, analysed).slice(0, MOST_VALUES - values.length)) {
      const seen = resultOf(path, analysed.facts, requests[part], part, source);
      values.push({ part, path: textOf(source, path), span: placeOf(source, path.span), value: undefined, ...seen });
    }
  }
  const verdict = evaluatePolicy(policy, request, ballot);
  const failed = clauses.find(({ result }) => result !== 'true');
  return failed === undefined ? { ...verdict, clauses, values } : { ...verdict, clauses, values, failed };
}

function textOf(source: string, expr: Expr): string {
  return source.slice(expr.span.start, expr.span.end);
}

function resultOf(
  expr: Expr,
  facts: Facts,
  request: Request,
  part: Part,
  source: string,
): { value: unknown } | { message: string } {
  const result = run(program(expr, facts), request);
  return result.ok ? { value: result.value } : { message: formatFailure(part, source, result.failure) };
}

/** The longest paths that start from a root, without those that depend on a bound variable; each text once. */
function pathsOf(source: string, { expr, facts }: Analysed): Expr[] {
  const paths = new Map<string, Expr>();
  const visit = (node: Expr): void => {
    if (startsFromRoot(node, facts)) paths.set(textOf(source, node), node);
    else for (const child of childrenOf(node)) visit(child);
  };
  visit(expr);
  return [...paths.values()];
}

function startsFromRoot(expr: Expr, facts: Facts): boolean {
  if (facts.get(expr)?.root !== undefined) return true;
  if (expr.kind === 'member') return startsFromRoot(expr.object, facts);
  if (expr.kind === 'index') return startsFromRoot(expr.object, facts) && expr.index.kind === 'literal';
  if (expr.kind !== 'slice') return false;
  return startsFromRoot(expr.object, facts) && expr.from.kind === 'literal' && expr.to.kind === 'literal';
}

/** The most values shown per policy. */
const MOST_VALUES = 50;
const LONGEST_SHOWN = 500;

/** A value as JSON, truncated for display. Reads no more than it shows, and keeps no reference to the value. */
export function shownValue(value: unknown, most = LONGEST_SHOWN): string {
  if (typeof value === 'bigint') return String(value);
  const parts: string[] = [];
  let length = 0;
  const put = (text: string) => {
    parts.push(text);
    length += text.length;
  };
  function write(item: unknown): void {
    if (length > most) return;
    if (Array.isArray(item)) writeAll('[', item, ']', write);
    else if (item instanceof Map) writeAll('{', item, '}', writeEntry);
    else if (typeof item === 'object' && item !== null) writeAll('{', Object.entries(item), '}', writeEntry);
    else
      put(JSON.stringify(typeof item === 'string' ? item.slice(0, most) : typeof item === 'bigint' ? `${item}` : item) ?? 'null');
  }
  function writeEntry([key, item]: readonly [string, unknown]): void {
    put(`${JSON.stringify(key.slice(0, most))}:`);
    write(item);
  }
  function writeAll<T>(open: string, items: Iterable<T>, close: string, each: (item: T) => void): void {
    put(open);
    let first = true;
    for (const item of items) {
      if (length > most) return;
      if (!first) put(',');
      first = false;
      each(item);
    }
    put(close);
  }
  write(value);
  const text = parts.join('');
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
