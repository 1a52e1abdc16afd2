/** What a warning calls never true is never true, by the reference evaluator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { analyse } from '../../src/policy/decide/compile.ts';
import {
  approvesNothing,
  compileCondition,
  compilePolicy,
  evaluateExpression,
  openRequest,
  type PolicyWarning,
  printExpression,
  type Roots,
} from '../../src/policy/index.ts';
import { childrenOf, type Expr } from '../../src/policy/language/ast.ts';
import { laterProfiles, profilesOf } from '../../src/policy/warnings/profiles.ts';
import { type Reach, reachOf } from '../../src/policy/warnings/reach.ts';
import { neverTrue } from '../../src/policy/warnings/warn.ts';
import { makeCondition, makeConforming } from './conforming.ts';
import { ofScopes, seeded } from './generate.ts';
import * as reference from './reference.ts';

const profiles = [...profilesOf(environment), ...laterProfiles(environment)];
const random = seeded(Number(process.env.TEST_SEED ?? 1));
const requests = Array.from({ length: 400 }, () => makeConforming(random, environment));

/** The profiles that a request is of. */
const bitsOf = requests.map(({ row, roots }) =>
  profiles.flatMap((profile, at) => {
    const same = profile.known.get('activity.type')?.has(row.type) === true;
    return same && Object.keys(roots).every((root) => profile.roots.has(root)) ? [BigInt(at)] : [];
  }),
);

/** Nodes that can be evaluated alone. */
function closed(expr: Expr): Expr[] {
  if (expr.kind === 'method') return [expr, ...closed(expr.object)];
  return [expr, ...childrenOf(expr).flatMap(closed)];
}

test('every request is of some profile', () => {
  for (const [at, bits] of bitsOf.entries()) assert.ok(bits.length > 0, requests[at]!.row.type);
});

test('an expression with a warning is never true, and a node has no outcome beyond its reach', () => {
  let warned = 0;
  let silentAndTrue = 0;
  let checked = 0;
  for (let run = 0; run < 500; run += 1) {
    const source = printExpression(makeCondition(random, environment));
    const analysed = analyse(source, 'condition', environment, []);
    assert.ok(analysed, source);
    const reaches = new Map<Expr, Reach>();
    reachOf({ ...analysed, environment, profiles }, analysed.expr, (node, reach) => reaches.set(node, reach));
    const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition: source }, environment);
    assert.ok(compiled.ok);
    const found = neverTrue(compiled.policy, environment);
    if (found.length > 0) warned += 1;
    const nodes = closed(analysed.expr).filter((node) => analysed.facts.get(node)?.type.kind === 'bool');
    const never = found.map((warning) => ({
      warning,
      node: about(warning, nodes),
      always: warning.message.endsWith('so this is always true'),
    }));
    let held = false;
    for (const [at, { roots }] of requests.entries()) {
      if (at % 8 !== run % 8) continue;
      for (const node of nodes) {
        const result = reference.evaluate(node, environment, roots);
        if (typeof result !== 'boolean') continue;
        if (node === analysed.expr && result) held = true;
        checked += 1;
        for (const bit of bitsOf[at]!) {
          const { t, f } = reaches.get(node)!;
          assert.ok(((result ? t : f) >> bit) & 1n, `${printExpression(node)} is ${result}: ${source}`);
        }
        for (const { warning, node: claimed, always } of never) {
          if (claimed !== node || listed(node)) continue;
          assert.notEqual(result, !always, `${warning.message}: ${printExpression(node)} in ${source}`);
        }
      }
    }
    if (held && found.length === 0) silentAndTrue += 1;
  }
  // The test needs enough cases that could refute it.
  assert.ok(warned > 100 && silentAndTrue > 15 && checked > 50_000, `${warned} ${silentAndTrue} ${checked}`);
});

test('a scope that is said to approve nothing lets no approval through', () => {
  const approvals = requests
    .filter(({ row }) => row.votes === undefined)
    .map(({ roots }) => openRequest({ ...roots, vote: { selection: 'VOTE_SELECTION_APPROVED' } } as Roots));
  let [warned, open] = [0, 0];
  for (let run = 0; run < 500; run += 1) {
    const source = `activity.kind == 'APPROVE_ACTIVITY' || (${printExpression(makeCondition(random, ofScopes(environment)))})`;
    const scope = compileCondition(source, environment, 'lenient');
    assert.ok(scope.ok, source);
    const holds = approvals.some((request) => {
      const judged = evaluateExpression(scope.expression, request);
      return judged.ok && judged.value;
    });
    const warning = approvesNothing(source, environment);
    if (warning !== undefined) warned += 1;
    if (holds) open += 1;
    assert.ok(!holds || warning === undefined, source);
  }
  assert.ok(warned > 20 && open > 100, `${warned} ${open}`);
});

/** For a list of literals or a predicate, a warning is about one item, and the whole may still be true. */
function listed(node: Expr): boolean {
  return (node.kind === 'compare' && node.operator === 'in' && node.right.kind === 'list') || node.kind === 'method';
}

/** What a warning is about: the smallest node around its place, and of clauses the whole of the `&&` that they are in. */
function about({ span: { start, end } }: PolicyWarning, nodes: readonly Expr[]): Expr | undefined {
  const around = nodes.filter(({ span }) => span.start <= start && end <= span.end && (span.start < start || end < span.end));
  let node = around.pop();
  while (node?.kind === 'and' && around.at(-1)?.kind === 'and') node = around.pop();
  return node;
}
