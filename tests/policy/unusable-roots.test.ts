import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { unknownRoots } from '../../src/domain/policies/policy-view.ts';
import { Denial } from '../../src/engine/decision/denial.ts';
import { evaluatePolicy, openBallot } from '../../src/policy/evaluate/outcome.ts';
import {
  buildIndex,
  compilePolicy,
  type DecisionInput,
  decide,
  decideFew,
  decideInSlices,
  type NamedPolicy,
  openRequest,
  type PolicyEvaluation,
  saysAbsent,
} from '../../src/policy/index.ts';
import fc from '../support/properties.ts';

/** Policies about what a request names and the organization does not have, and about other things. */
const SOURCES = [
  ['EFFECT_ALLOW', "wallet_account.address == '0x1'", ''],
  ['EFFECT_ALLOW', "activity.action == 'SIGN' && wallet.id in ['w1', 'w2']", "approvers.any(u, u.id == 'me')"],
  ['EFFECT_ALLOW', "wallet.id == 'w1' && eth.tx.to == '0x1'", ''],
  ['EFFECT_ALLOW', "wallet.id == 'w1' && activity.resource == 'PRIVATE_KEY' && !wallet.exported", ''],
  ['EFFECT_ALLOW', "wallet.id == 'w1' && activity.action == 'CREATE'", ''],
  ['EFFECT_ALLOW', 'wallet.exported', ''],
  ['EFFECT_ALLOW', "eth.tx.to == '0x1'", ''],
  ['EFFECT_ALLOW', "activity.action == 'CREATE'", ''],
  ['EFFECT_DENY', "wallet.id == 'w1'", "approvers.any(u, u.id == 'other')"],
  ['EFFECT_DENY', "wallet.id == 'w1' && eth.tx.to == '0x1'", ''],
] as const;
/** These decide. */
const DECIDING = [
  ['EFFECT_ALLOW', "activity.action == 'SIGN'", ''],
  ['EFFECT_ALLOW', "activity.action == 'SIGN'", "approvers.any(u, u.id == 'other')"],
  ['EFFECT_DENY', "wallet.id == 'w1'", ''],
] as const;

const compiled = [...SOURCES, ...DECIDING].map(([effect, condition, consensus]) => {
  const made = compilePolicy({ effect, condition, consensus }, environment);
  assert.ok(made.ok, condition);
  return made.policy;
});

const policiesOf = (kinds: readonly number[]): NamedPolicy[] =>
  kinds.map((kind, i) => ({ id: `policy ${String(i).padStart(5, '0')}`, policy: compiled[kind]! }));

const voters = [{ user: { id: 'me', tags: [] }, credentials: [] }];

function inputOf(policies: readonly NamedPolicy[]): DecisionInput {
  const activity = { type: 'T', kind: 'K', resource: 'PRIVATE_KEY', action: 'SIGN', params: {} };
  const request = openRequest({ activity, ...unknownRoots('wallet', 'wallet_account', 'private_key') });
  const rest = { rootQuorum: { userIds: [], threshold: 1 }, voters, defaultAllowance: false, nowMs: 0 };
  return { ...rest, index: buildIndex(policies), elements: [request] };
}

/** Each policy alone, without an index and without short cuts. */
function each(policies: readonly NamedPolicy[]): PolicyEvaluation[] {
  const [request] = inputOf([]).elements;
  const ballot = openBallot(voters, 0);
  return policies.map(({ id, policy }) => ({ policyId: id, ...evaluatePolicy(policy, request!, ballot) }));
}

const kinds = fc.array(fc.nat(SOURCES.length - 1), { minLength: 1, maxLength: 1500, size: 'max' });
const deciding = fc.option(fc.integer({ min: SOURCES.length, max: compiled.length - 1 }), { nil: undefined });

test('of many policies about what is not there, each comes to what it comes to alone, and the same ones explain the refusal', () =>
  fc.assert(
    fc.property(kinds, deciding, (some, decides) => {
      const policies = policiesOf(decides === undefined ? some : [...some, decides]);
      const alone = each(policies);
      const decision = decide(inputOf(policies));
      const outcomes = new Map(decision.policyEvaluations.map((one) => [one.policyId, one]));
      const told = alone.filter(({ outcome }) => outcome !== 'OUTCOME_DENY_IMPLICIT');
      for (const { policyId, outcome } of told) assert.equal(outcomes.get(policyId)?.outcome, outcome, policyId);
      const listed = decision.policyEvaluations.filter(({ outcome }) => outcome !== 'OUTCOME_DENY_IMPLICIT');
      assert.equal(listed.length, told.length);
      for (const one of listed.slice(0, 200)) assert.equal(one.reason, told.find((t) => t.policyId === one.policyId)!.reason);
      for (const { policyId, reason } of listed)
        if (reason !== undefined) assert.equal(reason, told.find((t) => t.policyId === policyId)!.reason);
      if (decision.outcome.startsWith('OUTCOME_DENY'))
        assert.equal(new Denial(decision).message, new Denial({ ...decision, policyEvaluations: alone }).message);
      const [denied, allowed, open] = ['DENY_EXPLICIT', 'ALLOW', 'REQUIRES_CONSENSUS'].map((name) =>
        alone.some(({ outcome }) => outcome === `OUTCOME_${name}`),
      );
      const expected = denied ? 'DENY_EXPLICIT' : allowed ? 'ALLOW' : open ? 'REQUIRES_CONSENSUS' : 'DENY_IMPLICIT';
      assert.equal(decision.outcome, `OUTCOME_${expected}`);
    }),
    { numRuns: 60 },
  ));

test('in slices, and at once, a decision is the same', () =>
  fc.assert(
    fc.asyncProperty(kinds, deciding, async (some, decides) => {
      const policies = policiesOf(decides === undefined ? some : [...some, decides]);
      const whole = decide(inputOf(policies));
      const slices: number[] = [];
      assert.deepEqual(await decideInSlices(inputOf(policies), async () => slices.push(1)), whole);
      const few = decideFew(inputOf(policies));
      assert.ok(slices.length <= 1 || few === undefined, `${slices.length} slices`);
      if (few !== undefined) assert.deepEqual(few, whole);
    }),
    { numRuns: 60 },
  ));

test('thousands of policies about what is not there: few are explained, and others run meanwhile', async () => {
  const policies = policiesOf(Array.from({ length: 5000 }, () => 0));
  const slices: number[] = [];
  const decision = await decideInSlices(inputOf(policies), async () => slices.push(1));
  assert.equal(decision.outcome, 'OUTCOME_DENY_IMPLICIT');
  assert.equal(slices.length, 20);
  assert.equal(decision.policyEvaluations.filter(({ outcome }) => outcome === 'OUTCOME_ERROR').length, 5000);
  assert.equal(decision.policyEvaluations.filter(({ reason }) => reason !== undefined && !saysAbsent(reason)).length, 200);
  const denial = new Denial(decision);
  assert.ok(JSON.stringify(denial.details).length < 20_000);
  assert.equal(
    new Denial({ ...decision, denyingPolicyIds: policies.map(({ id }) => id) }).message.match(/policy \d+/g)?.length,
    100,
  );
});
