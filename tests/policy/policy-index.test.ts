import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { amended, lookUp, type Shards } from '../../src/policy/decide/shards.ts';
import {
  amendIndex,
  buildIndex,
  type CompiledPolicy,
  compilePolicy,
  decide,
  openRequest,
  type PolicyIndex,
  policyIn,
  type Request,
} from '../../src/policy/index.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const compile = (condition: string): CompiledPolicy => {
  const made = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, environment);
  assert.ok(made.ok);
  return made.policy;
};

const WALLETS = ['w0', 'w1', 'w2'];
const ACTIONS = ['SIGN', 'CREATE'];
const CONDITIONS = [
  '',
  'wallet.exported',
  ...WALLETS.map((id) => `wallet.id == '${id}'`),
  ...ACTIONS.flatMap((action) => WALLETS.map((id) => `activity.action == '${action}' && wallet.id == '${id}'`)),
  "wallet.id in ['w0', 'w2'] && activity.action == 'SIGN'",
  "wallet.id == 'w0' && wallet.id == 'w1'",
  "activity.action in ['SIGN', 'CREATE']",
];
const POLICIES = CONDITIONS.map(compile);

const requests = (): Request[] => [
  ...ACTIONS.flatMap((action) => WALLETS.map((id) => openRequest({ activity: { action }, wallet: { id, exported: false } }))),
  openRequest({ activity: { action: 'SIGN' } }),
  // Unreadable.
  openRequest({ activity: { action: 'SIGN' }, wallet: {} }),
];

/** The decision of each request. Which of a policy's pins it is found by does not matter. */
const decided = (index: PolicyIndex) => {
  const rest = { rootQuorum: { userIds: [], threshold: 1 }, voters: [], defaultAllowance: false, nowMs: 0 };
  return requests().map((request) => {
    const { outcome, policyEvaluations } = decide({ ...rest, index, elements: [request] });
    return [outcome, ...policyEvaluations.map((one) => `${one.policyId} ${one.outcome}`).sort()];
  });
};

/** How many policies pin each key, and how many are found by it. */
const counts = (index: PolicyIndex) => {
  const all = index.tables.flatMap(({ of, buckets }) =>
    buckets.flatMap((part) =>
      [...part].map(([key, { pinned, entries }]) => ({ of: of.name, key, pinned, found: entries.length })),
    ),
  );
  const byName = all.map(({ of, key, pinned }) => `${of} ${key} ${pinned}`).sort();
  for (const { of, found } of index.tables)
    assert.equal(
      found,
      all.filter((one) => one.of === of.name).reduce((sum, one) => sum + one.found, 0),
      of.name,
    );
  return byName;
};

const change = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.option(fc.nat(POLICIES.length - 1), { nil: undefined }));

test('an amended index finds what one built anew finds, and the one before stays as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }), (steps) => {
      const expected = new Map<string, CompiledPolicy>();
      let index = buildIndex([]);
      for (const step of steps) {
        const before = { index, decided: decided(index), counts: counts(index) };
        const changes = new Map(step.map(([n, at]) => [`p${String(n).padStart(2, '0')}`, at === undefined ? at : POLICIES[at]!]));
        for (const [id, policy] of changes) {
          if (policy) expected.set(id, policy);
          else expected.delete(id);
        }
        index = amendIndex(index, changes);
        const named = [...expected].map(([id, policy]) => ({ id, policy })).sort((a, b) => (a.id < b.id ? -1 : 1));
        const fresh = buildIndex(named);
        assert.deepEqual(
          index.policies.map(({ id, policy }) => ({ id, policy })),
          named,
        );
        for (const { id, policy } of named) assert.equal(policyIn(index, id)?.policy, policy);
        assert.deepEqual(decided(index), decided(fresh));
        assert.deepEqual(counts(index), counts(fresh));
        assert.deepEqual(decided(before.index), before.decided);
        assert.deepEqual(counts(before.index), before.counts);
      }
    }),
    { numRuns: rounds(200) },
  );
});

test('a policy that comes between two others again and again keeps its place', () => {
  const policy = compile('');
  let index = buildIndex(['a', 'b'].map((id) => ({ id, policy })));
  const ids: string[] = [];
  // More often than a floating-point number can be halved.
  for (let i = 0; i < rounds(2000); i++) {
    const id = `a${String(9999 - i)}`;
    ids.unshift(id);
    index = amendIndex(index, new Map([[id, policy]]));
  }
  const order = (entries: PolicyIndex['policies']) => entries.map(({ id }) => id);
  assert.deepEqual(order(index.policies), ['a', ...ids, 'b']);
  assert.deepEqual(order(index.always), order(index.policies));
  const positions = index.policies.map(({ position }) => position);
  assert.deepEqual(
    positions,
    [...new Set(positions)].sort((a, b) => a - b),
  );
});

test('one change among ten thousand policies leaves nearly all of the index as it is', () => {
  const condition = (i: number) => `activity.action == 'SIGN' && wallet.id == 'wallet-${i}'`;
  const id = (i: number) => String(i).padStart(5, '0');
  const named = Array.from({ length: 10_000 }, (_, i) => ({ id: id(i), policy: compile(condition(i)) }));
  const index = buildIndex(named);
  const next = amendIndex(index, new Map([[id(5000), compile(condition(20_000))]]));
  const parts = (of: PolicyIndex) => new Set<unknown>(of.tables.flatMap(({ buckets }) => [...buckets]));
  const before = parts(index);
  const made = [...parts(next)].filter((part) => !before.has(part));
  // The part of the old wallet, that of the new one, and that of the action.
  assert.ok(made.length <= 3, `${made.length} parts of ${before.size} were copied`);
  assert.ok(before.size > 100);
  const entries = new Set(index.policies);
  assert.equal(next.policies.filter((entry) => !entries.has(entry)).length, 1);
  const largest = Math.max(...next.tables.flatMap(({ buckets }) => buckets.map((part) => part.size)));
  assert.ok(largest < 200, `${largest} keys in one part`);
});

test('a map in parts has what a map has, and the one before stays', () => {
  const changes = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.option(fc.integer(), { nil: undefined })), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (steps) => {
      const expected = new Map<string, number>();
      let shards: Shards<number> = [];
      for (const step of steps) {
        const before = [shards, new Map(expected)] as const;
        shards = amended(shards, new Map(step));
        for (const [key, value] of new Map(step)) {
          if (value === undefined) expected.delete(key);
          else expected.set(key, value);
        }
        for (const [made, wanted] of [before, [shards, expected] as const]) {
          assert.equal(
            made.reduce((sum, part) => sum + part.size, 0),
            wanted.size,
          );
          for (const [key, value] of wanted) assert.equal(lookUp(made, key), value);
        }
        assert.equal(lookUp(shards, 'none of them'), undefined);
      }
    }),
  );
});
