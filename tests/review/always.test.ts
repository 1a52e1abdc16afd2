/** Policies that exclude nothing, and consensus that one person satisfies. Where that is not certain, nothing is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alwaysTrue, oneAlone } from '../../review/administration/always.ts';
import { type Ask, reviewOf, saidOf } from '../../review/index.ts';
import { bodyOf } from './corpus.ts';

const [ANN, BEN] = ['0191f3c2-0000-7000-8000-00000000000a', '0191f3c2-0000-7000-8000-00000000000b'] as const;

test('a condition that excludes nothing is found, and no other', () => {
  for (const [text, expected] of [
    ['true', 'all'],
    ['1 == 1', 'all'],
    ["'a' in ['b', 'a']", 'all'],
    ['!(2 < 1)', 'all'],
    ['eth.tx.to == eth.tx.to', 'named'],
    ['eth.tx.value > 5 || true', 'named'],
    ['eth.tx.value > 5 || eth.tx.value <= 5', 'named'],
    ["!(activity.kind == 'A') || activity.kind == 'A'", 'named'],
    ["true && (wallet.id == 'x' || (1 != 2))", 'named'],
    ['false', undefined],
    ['eth.tx.to != eth.tx.to', undefined],
    ["activity.kind == 'SIGN_TRANSACTION'", undefined],
    ['eth.tx.value > 5 || eth.tx.value < 5', undefined],
    ['eth.tx.value > 5 && true', undefined],
    ["'a' != 'b'", 'all'],
    ['true != false', 'all'],
    ["1 == '1'", 'all'],
    ["!('a' == 'b')", 'all'],
    ["['a', 'b'].any(text, text == 'b')", 'all'],
    ["eth.tx.value > 5 || 'a' != 'b'", 'named'],
    ["'A' == 'a'", undefined],
    ["'a' == 'b'", undefined],
    ["1 == 'one'", undefined],
    ["['a'].all(text, text == 'b')", undefined],
    ['not an expression', undefined],
  ] as const)
    assert.equal(alwaysTrue(text), expected, text);
});

test('a consensus that one person satisfies is found, with that person', () => {
  const any = (id: string) => `approvers.any(user, user.id == '${id}')`;
  for (const [text, expected] of [
    ['true', {}],
    ['approvers.count() >= 1', {}],
    ['0 < approvers.count', {}],
    ['approvers.any(user, true)', {}],
    ['approvers.filter(user, true).count() > 0', {}],
    [any(ANN), { users: [ANN] }],
    [`${any(ANN)} || ${any(BEN)}`, { users: [ANN, BEN] }],
    [`approvers.all(u, u.id in ['${ANN}', '${BEN}']) && approvers.count() >= 1`, { users: [ANN, BEN] }],
    [`approvers.any(user, user.tags.contains('${BEN}'))`, { who: `user.tags.contains('${BEN}')` }],
    [`${any(ANN)} || approvers.count() >= 2`, { users: [ANN] }],
    ['approvers.count() >= 2', undefined],
    [`${any(ANN)} && ${any(BEN)}`, undefined],
    [`${any(ANN)} && approvers.count() >= 2`, undefined],
    ['approvers.any(user, approvers.count() >= 2)', undefined],
    [`${any(ANN)} && approvers.any(user, user.email == '')`, undefined],
    ['approvers.filter(user, false).count() >= 1', undefined],
    ['credentials.count() >= 1', {}],
    ['!(approvers.count() < 1)', {}],
    ['approvers.count() in [1, 2]', {}],
    ['!(approvers.count() < 1 || approvers.count() > 2)', {}],
    [`approvers.filter(user, user.id == '${ANN}').count() in [1]`, { users: [ANN] }],
    [`approvers.filter(user, user.id == '${ANN}').count() < 2`, {}],
    [`approvers.any(user, user.tags.any(tag, tag == '${BEN}'))`, { who: `user.tags.any(tag, tag == '${BEN}')` }],
    ["'a' != 'b'", {}],
    ['true != false', {}],
    ["1 == '1'", {}],
    ["!('a' == 'b')", {}],
    ["'a' == 'b'", undefined],
    ['credentials.count() >= 2', undefined],
    ['!(approvers.count() < 2)', undefined],
    ['approvers.count() in [2, 3]', undefined],
    ['!(approvers.count() < credentials.count())', undefined],
    ["approvers.any(user, approvers.any(approvers, approvers.id == 'x'))", undefined],
    ['false', undefined],
  ] as const)
    assert.deepEqual(oneAlone(text), expected, text);
});

const warningsOf = (type: string, parameters: object, options = {}): string[] =>
  reviewOf(bodyOf({ type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Record<string, unknown> }), options).warnings.map(
    ({ level, code, text }) => `${level} ${code}: ${text}`,
  );

const made = (condition: string, consensus: string, effect = 'EFFECT_ALLOW') =>
  warningsOf('CREATE_POLICY_V3', { policyName: 'P', effect, condition, consensus, notes: '' });

test('a new policy that allows all says who acts alone, and a denial says nothing', () => {
  const named =
    'red no-condition: Its condition is always true: this policy allows every activity that has what the condition names';
  assert.deepEqual(made('eth.tx.to == eth.tx.to', 'approvers.count() >= 1'), [
    'red no-consensus: Any one user of this organization can do alone what this policy allows',
    named,
  ]);
  assert.deepEqual(made('eth.tx.to == eth.tx.to', `approvers.any(user, user.id == '${ANN}')`), [
    `red no-consensus: User ${ANN} can do alone what this policy allows`,
    named,
  ]);
  assert.deepEqual(made('eth.tx.value < 5', `approvers.any(user, user.id == '${ANN}')`), []);
  assert.deepEqual(made('eth.tx.to == eth.tx.to', 'approvers.count() >= 2'), [named]);
  assert.deepEqual(made('true', '', 'EFFECT_DENY'), []);
  assert.deepEqual(made("'a' != 'b'", "'a' != 'b'"), [
    'red no-consensus: Any one user of this organization can do alone what this policy allows',
    'red no-condition: This policy allows every activity that policies can allow',
  ]);
});

test('an update is read with what stays, as the service says', async () => {
  const changes = (parameters: object) => ({ policyId: BEN, ...parameters });
  const policy = {
    policyId: BEN,
    policyName: 'P',
    effect: 'EFFECT_ALLOW',
    condition: 'true',
    consensus: 'approvers.count() >= 2',
  };
  const besides = async (parameters: object, now: object): Promise<string[]> => {
    const ask: Ask = async () => ({ policy: now });
    const body = bodyOf({ type: 'ACTIVITY_TYPE_UPDATE_POLICY_V2', parameters: changes(parameters) as Record<string, unknown> });
    const { options } = await saidOf(reviewOf(body), ANN, ask);
    return warningsOf('UPDATE_POLICY_V2', changes(parameters), options);
  };
  const alone = { policyConsensus: `approvers.any(user, user.id == '${ANN}')` };
  assert.deepEqual(await besides(alone, policy), [`red no-consensus: User ${ANN} can do alone what this policy allows`]);
  assert.deepEqual(await besides(alone, { ...policy, condition: 'eth.tx.value < 5' }), []);
  const denial = { ...policy, effect: 'EFFECT_DENY' };
  assert.deepEqual(await besides(alone, denial), [
    'amber denial-changes: This policy forbids by what changes here. What it forbids no more, others may then allow',
  ]);
  const unless = 'unless it forbids, as the service says';
  assert.deepEqual(await besides({ policyConsensus: 'true' }, denial), [
    `red no-consensus: Any one user of this organization can do alone what this policy allows, ${unless}`,
    'amber denial-changes: This policy forbids by what changes here. What it forbids no more, others may then allow',
  ]);
});

test('no word of the service about policies takes a red warning of the body away', () => {
  const codes = (parameters: object, options = {}) =>
    warningsOf('UPDATE_POLICY_V2', { policyId: BEN, ...parameters }, options).flatMap(
      (text) => /^red [a-z-]+/.exec(text)?.[0] ?? [],
    );
  const texts = [undefined, '', 'true', 'false', `approvers.any(user, user.id == '${ANN}')`, 'approvers.count() >= 2'];
  for (const condition of texts)
    for (const consensus of texts)
      for (const effect of ['EFFECT_ALLOW', 'EFFECT_DENY', undefined, 5])
        for (const parameters of [
          { policyCondition: 'true', policyConsensus: 'true' },
          { policyCondition: 'true' },
          { policyConsensus: `approvers.any(user, user.id == '${ANN}')`, policyCondition: '1 == 1' },
          { policyEffect: 'EFFECT_ALLOW', policyConsensus: '' },
        ]) {
          const policy = { policyId: BEN, effect, condition, consensus, time: 'false' };
          const besides = codes(parameters, { now: { policies: [policy] } });
          for (const code of codes(parameters))
            assert.ok(besides.includes(code), `${code}: ${JSON.stringify([parameters, policy])}`);
        }
});
