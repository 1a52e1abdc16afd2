/** Votes and the clock are the same for each element of a batch, so a policy reads them once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluatePolicy, openBallot } from '../../src/policy/evaluate/outcome.ts';
import {
  buildIndex,
  compilePolicy,
  type DecisionInput,
  decide,
  decideInSlices,
  openRequest,
  shareBudget,
  type Voter,
} from '../../src/policy/index.ts';
import fc from '../support/properties.ts';
import { environment } from './agreement.ts';

const CONDITION = "activity.action == 'SIGN'";
const BY_TWO = "approvers.any(u, u.alias == 'Ann') && approvers.count() >= 2";

const SOURCES = [
  { effect: 'EFFECT_ALLOW', condition: CONDITION, consensus: BY_TWO },
  {
    effect: 'EFFECT_ALLOW',
    condition: CONDITION,
    consensus: "approvers[1].id != 'x'",
    time: "time.now < Timestamp('2027-01-01T00:00:00Z')",
  },
  { effect: 'EFFECT_DENY', condition: "wallet.id == 'w1'", consensus: "approvers.any(u, u.id == 'other')" },
  {
    effect: 'EFFECT_ALLOW',
    condition: "wallet.id in ['w0', 'w2'] || eth.tx.to == '0x1'",
    consensus: "approvers.any(u, u.tags.contains('t'))",
  },
] as const;

const compiled = SOURCES.map((source) => {
  const made = compilePolicy(source, environment);
  assert.ok(made.ok);
  return made.policy;
});

const element = (i: number) =>
  openRequest({
    activity: { type: 'T', kind: 'K', resource: 'WALLET', action: 'SIGN', params: {} },
    wallet: { id: `w${i % 3}` },
  });

const elementsOf = (count: number) => Array.from({ length: count }, (_, i) => element(i));

const voterOf = (alias: string): Voter => ({ user: { id: alias.toLowerCase(), tags: [], email: '', alias }, credentials: [] });

function inputOf(policies: number, elements: number, voters: readonly Voter[]): DecisionInput {
  const named = Array.from({ length: policies }, (_, i) => ({ id: `p${i}`, policy: compiled[0]! }));
  const rest = { rootQuorum: { userIds: [], threshold: 1 }, voters, defaultAllowance: false, nowMs: 0 };
  return { ...rest, index: buildIndex(named), elements: elementsOf(elements) };
}

test('a larger batch reads the votes no more often', () => {
  const readsOf = (elements: number): number => {
    let reads = 0;
    const { user } = voterOf('Ann');
    const noting = Object.defineProperty({ ...user }, 'alias', {
      enumerable: true,
      get() {
        reads += 1;
        return 'Ann';
      },
    });
    const { outcome } = decide(inputOf(1, elements, [{ user: noting as typeof user, credentials: [] }]));
    assert.equal(outcome, 'OUTCOME_REQUIRES_CONSENSUS');
    return reads;
  };
  assert.ok(readsOf(2) > 0);
  assert.equal(readsOf(100), readsOf(2));
});

test('others run after 250 policies, over all elements', async () => {
  let slices = 0;
  await decideInSlices(inputOf(20, 100, [voterOf('Ann')]), async () => slices++);
  assert.equal(slices, 9);
});

test('every policy has the outcome, the reason and the steps that it has without memory, also where steps run out', () =>
  fc.assert(
    fc.property(
      fc.subarray(['Ann', 'Ben', 'Eve']),
      fc.integer({ min: 0, max: 400 }),
      fc.array(fc.nat(compiled.length - 1), { minLength: 1, maxLength: 6 }),
      (aliases, steps, kinds) => {
        const outcomesOf = (isBatch: boolean) => {
          const ballot = openBallot(aliases.map(voterOf), 0, isBatch);
          const elements = elementsOf(5);
          const budget = shareBudget([ballot.people, ballot.clock, ...elements], steps);
          return elements.flatMap((request) =>
            kinds.map((kind) => [evaluatePolicy(compiled[kind]!, request, ballot), Math.max(0, budget.left)]),
          );
        };
        assert.deepEqual(outcomesOf(true), outcomesOf(false));
      },
    ),
    { numRuns: 500 },
  ));
