/** One comparison of the engine with the reference evaluator. Used by the test and by the long run. */
import assert from 'node:assert/strict';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { program, type Result, run } from '../../src/policy/evaluate/evaluate.ts';
import { evaluateCondition } from '../../src/policy/evaluate/outcome.ts';
import { compilePolicy, openRequest, parse, printExpression, type Roots } from '../../src/policy/index.ts';
import type { Expr } from '../../src/policy/language/ast.ts';
import { check } from '../../src/policy/language/check.ts';
import type { Facts } from '../../src/policy/language/checker.ts';
import { makeExpression, makeRoots, pick, type Random } from './generate.ts';
import * as reference from './reference.ts';

export { policyEnvironment as environment } from '../../src/app/policy-environment.ts';

/** The tree without its spans. */
export function shape(expr: unknown): unknown {
  if (Array.isArray(expr)) return expr.map(shape);
  if (typeof expr !== 'object' || expr === null) return expr;
  return Object.fromEntries(Object.entries(expr).flatMap(([key, value]) => (/span$/i.test(key) ? [] : [[key, shape(value)]])));
}

function plain(result: Result, facts: Facts, text: string): string {
  if (result.ok) return String(result.value);
  const { code } = result.failure;
  assert.ok(code !== 'value' && code !== 'internal', `${code}: ${result.failure.message} in ${text}`);
  if (code === 'kind')
    assert.ok(
      [...facts.values()].some(({ type }) => type.kind === 'dynamic'),
      `a type error in ${text}`,
    );
  return code === 'absent' ? 'absent' : 'otherwise';
}

export type Agreement = 'true' | 'false' | 'absent' | 'otherwise';

/** Makes an expression and a request, and compares all results. Throws where they disagree. */
export function agreeOnce(random: Random): Agreement {
  const part = pick(random, ['condition', 'condition', 'condition', 'consensus', 'time'] as const);
  const made = makeExpression(random, environment, part);
  const text = printExpression(made);
  const parsed = parse(text);
  assert.ok(parsed.ok, `does not parse: ${text}`);
  assert.deepEqual(shape(parsed.expr), shape(made), `parses to another tree: ${text}`);
  const checked = check(parsed.expr, part, environment);
  assert.ok(checked.ok, `does not check: ${text}: ${checked.ok ? '' : checked.problems[0]?.message}`);
  const roots = makeRoots(random, environment) as Roots;
  const request = openRequest(roots);
  const { facts } = checked;

  const strict = plain(run(program(parsed.expr, facts), request), facts, text);
  assert.equal(strict, String(reference.evaluate(parsed.expr, environment, roots)), text);
  const lenient = plain(run(program(parsed.expr, facts, 'lenient'), request), facts, text);
  assert.equal(lenient, String(reference.evaluate(parsed.expr, environment, roots, 'lenient')), `lenient: ${text}`);
  const kleene = plain(run(program(parsed.expr, facts, 'kleene'), request), facts, text);
  assert.equal(kleene, String(reference.evaluate(parsed.expr, environment, roots, 'kleene')), `kleene: ${text}`);
  // A condition of MFA asks at least where a scope would hold: what is not definitely false asks.
  if (lenient === 'true') assert.notEqual(kleene, 'false', text);
  if (part === 'condition')
    assert.equal(
      condition(text, parsed.expr, request, facts),
      String(reference.condition(parsed.expr, environment, roots)),
      text,
    );
  // A lenient scope is never wider than a strict one, except where the strict one failed.
  if (strict === 'true' || strict === 'false') assert.deepEqual([lenient, kleene], [strict, strict], text);
  return strict as Agreement;
}

function condition(text: string, _: Expr, request: ReturnType<typeof openRequest>, facts: Facts): string {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition: text }, environment);
  assert.ok(compiled.ok, text);
  return plain(evaluateCondition(compiled.policy, request), facts, text);
}
