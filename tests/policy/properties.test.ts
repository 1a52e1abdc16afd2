/** Properties of the decision over random policies, requests and votes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildIndex,
  compilePolicy,
  type DecisionInput,
  decide,
  type NamedPolicy,
  openRequest,
  type PolicyDecision,
  type PolicyIndex,
  parse,
  printExpression,
  type Roots,
  type Voter,
} from '../../src/policy/index.ts';
import { rounds } from '../support/full.ts';
import { advances } from './advances.ts';
import { environment } from './agreement.ts';
import { makeExpression, makeRoots, pick, type Random, seeded } from './generate.ts';
import * as reference from './reference.ts';

const instants = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-09-01T00:00:00Z'].map(Date.parse);
const groupings = [
  'approvers.count() >= 2',
  "approvers.any(u, u.tags.contains('a'))",
  "approvers.filter(u, u.tags.contains('a')).count() > 1",
  "approvers.any(u, u.id == 'root-1') && approvers.count() == 2",
  "approvers[1].id != 'x'",
];

function makePolicy(random: Random, id: string, effect = pick(random, ['EFFECT_ALLOW', 'EFFECT_DENY'] as const)): NamedPolicy {
  const part = (name: 'condition' | 'consensus' | 'time', often: number): string =>
    random(often) ? printExpression(makeExpression(random, environment, name)) : '';
  const consensus = random(3) ? pick(random, ['', ...groupings]) : part('consensus', 2);
  const result = compilePolicy(
    { effect, condition: part('condition', 5), consensus, time: random(4) ? '' : part('time', 2) },
    environment,
  );
  assert.ok(result.ok);
  return { id, policy: result.policy };
}

function makeVoters(random: Random): Voter[] {
  const ids = ['root-1', 'root-2', 'u', 'v', 'w'].filter(() => random(3) === 0);
  return ids.map((id) => ({
    user: { id, tags: random(2) ? ['a'] : ['SIGN'], email: pick(random, ['', 'a']), alias: '' },
    credentials: random(4) ? [{ id, user_id: id, type: 'T', credential_id: '', public_key: '02' }] : [],
  }));
}

/** An index that rules nothing out. */
function unindexed(policies: readonly NamedPolicy[]): PolicyIndex {
  const { policies: entries } = buildIndex(policies);
  return { policies: entries, always: entries, tables: [] };
}

function makeInput(random: Random, policies: readonly NamedPolicy[]): { input: DecisionInput; roots: Roots[] } {
  const roots = Array.from({ length: random(4) ? 1 : random(4) }, () => {
    const made = makeRoots(random, environment) as Record<string, unknown>;
    if (random(20) === 0) made.wallet = 'not a wallet';
    return made as Roots;
  });
  const input: DecisionInput = {
    index: buildIndex(policies),
    elements: roots.map(openRequest),
    rootQuorum: { userIds: ['root-1', 'root-2'], threshold: 1 + random(2) },
    voters: makeVoters(random),
    defaultAllowance: random(4) === 0,
    nowMs: pick(random, instants),
  };
  return { input, roots };
}

const permission = {
  OUTCOME_ALLOW: 2,
  OUTCOME_REQUIRES_CONSENSUS: 1,
  OUTCOME_DENY_EXPLICIT: 0,
  OUTCOME_DENY_IMPLICIT: 0,
};

function sorted({ policyEvaluations, denyingPolicyIds, outcome, element }: PolicyDecision): unknown {
  const own = [...policyEvaluations].sort((a, b) => (a.policyId < b.policyId ? -1 : 1));
  return { outcome, element, policyEvaluations: own, denyingPolicyIds: [...denyingPolicyIds].sort() };
}

test('the index changes nothing but the cost', () => {
  for (let seed = 1; seed <= 600; seed += 1) {
    const random = seeded(seed);
    const policies = Array.from({ length: random(12) }, (_, at) => makePolicy(random, `p${at}`));
    const { input } = makeInput(random, policies);
    assert.deepEqual(sorted(decide(input)), sorted(decide({ ...input, index: unindexed(policies) })), `seed ${seed}`);
  }
});

test('adding a DENY never allows, and removing an ALLOW never does', () => {
  let narrowed = 0;
  for (let seed = 1; seed <= rounds(3000); seed += 1) {
    const random = seeded(seed);
    const policies = Array.from({ length: random(5) }, (_, at) => makePolicy(random, `p${at}`));
    const { input } = makeInput(random, policies);
    const before = permission[decide(input).outcome];
    const denied =
      permission[decide({ ...input, index: buildIndex([...policies, makePolicy(random, 'deny', 'EFFECT_DENY')]) }).outcome];
    assert.ok(denied <= before, `seed ${seed}`);
    const fewer = policies.filter(({ policy }, at) => policy.effect === 'EFFECT_DENY' || at > 0);
    assert.ok(
      permission[decide({ ...input, index: buildIndex(fewer), defaultAllowance: false }).outcome] <= before ||
        input.defaultAllowance,
      `seed ${seed}`,
    );
    if (denied < before) narrowed += 1;
  }
  assert.ok(narrowed > 10, `narrowed ${narrowed} times`);
});

/** One policy's outcome by section 11 of the document, computed with the reference evaluator. */
function verdict({ policy }: NamedPolicy, roots: Roots, voters: readonly Voter[], nowMs: number): string {
  const tree = (source: string): ReturnType<typeof parse> => parse(source.trim() === '' ? 'true' : source);
  const people = { approvers: voters.map(({ user }) => user), credentials: voters.flatMap(({ credentials }) => credentials) };
  const [first, second, third] = [tree(policy.source.condition), tree(policy.source.consensus), tree(policy.source.time)];
  assert.ok(first.ok && second.ok && third.ok);
  const condition = reference.condition(first.expr, environment, roots);
  const consensus = reference.evaluate(second.expr, environment, people);
  const time = reference.evaluate(third.expr, environment, { 'time.now': { epochMs: nowMs } });
  const fails = (result: unknown): boolean => typeof result !== 'boolean';
  if (policy.effect === 'EFFECT_ALLOW') {
    if (condition === false && fails(consensus)) return 'settled or ERROR';
    if (fails(condition) || fails(consensus)) return 'ERROR';
    if (!condition) return 'DENY_IMPLICIT';
    if (fails(time)) return 'ERROR';
    if (consensus) return time === true ? 'ALLOW' : 'TIME_INACTIVE';
    const advanced = voters.every((voter) => advances(second.expr, environment, voter, voters));
    return time === true && advanced ? 'REQUIRES_CONSENSUS' : 'DENY_IMPLICIT';
  }
  if (condition === 'absent') return 'ERROR';
  if (condition === false || consensus === false)
    return fails(condition) || fails(consensus) ? 'settled or ERROR' : 'DENY_IMPLICIT';
  return time === false ? 'TIME_INACTIVE' : 'DENY_EXPLICIT';
}

test('every policy comes to what the document says', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 1500; seed += 1) {
    const random = seeded(seed);
    const named = makePolicy(random, 'p');
    const { input, roots } = makeInput(random, [named]);
    const decision = decide({
      ...input,
      elements: input.elements.slice(0, 1),
      rootQuorum: { userIds: [], threshold: 1 },
    });
    if (roots[0] === undefined || roots[0].wallet === 'not a wallet') continue;
    const own = decision.policyEvaluations[0]!.outcome.slice('OUTCOME_'.length);
    const wanted = verdict(named, roots[0], input.voters, input.nowMs);
    if (wanted === 'settled or ERROR') assert.ok(own === 'ERROR' || own === 'DENY_IMPLICIT', `seed ${seed}: ${own}`);
    else assert.equal(own, wanted, `seed ${seed}: ${JSON.stringify(named.policy.source)}`);
    seen.add(own);
  }
  assert.equal(seen.size, 6);
});
