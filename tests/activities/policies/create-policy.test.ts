import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, count, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_POLICY_V3';
const KEY = 'createPolicyResult';
let made = 0;
const policy = (more: object = {}) => ({ policyName: `policy ${++made}`, effect: 'EFFECT_ALLOW', notes: '', ...more });
const wallet = (walletName: string) => ({ walletName, accounts: [] });

test('a policy with every part, read back as it was written', async () => {
  const sent = policy({
    effect: 'EFFECT_DENY',
    condition: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
    consensus: "approvers.any(user, user.alias == 'nobody')",
    time: "CronSpan('0 9 * * 1-5', '8h', 'UTC')",
    notes: 'why\nit is there',
  });
  const { policyId } = resultOf(await instance.root.submit(TYPE, sent), KEY);
  const { createdAt, updatedAt, ...shown } = (await instance.root.query('get_policy', { policyId })).body.policy;
  assert.deepEqual(shown, { policyId, ...sent });
  assert.deepEqual(createdAt, updatedAt);
});

test('a policy says something at once, to the user it is about and to nobody else', async () => {
  const user = await instance.newUser('Allowed');
  const other = await instance.newUser('Not allowed');
  const forbidden: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  refused(await user.client.submit('CREATE_WALLET', wallet('Too early')), forbidden);
  const allow = policy({
    condition: "activity.kind == 'CREATE_WALLET'",
    consensus: approvedBy(user.userId),
  });
  resultOf(await instance.root.submit(TYPE, allow), KEY);
  resultOf(await user.client.submit('CREATE_WALLET', wallet('Allowed')), 'createWalletResult');
  refused(await other.client.submit('CREATE_WALLET', wallet('Other')), forbidden);
  const deny = policy({ effect: 'EFFECT_DENY', condition: "activity.kind == 'CREATE_WALLET'" });
  const { policyId } = resultOf(await instance.root.submit(TYPE, deny), KEY);
  const answer = await user.client.submit('CREATE_WALLET', wallet('Denied'));
  refused(answer, forbidden);
  assert.match(answer.body.message, new RegExp(`The following policies denied this action: ${policyId}`));
  resultOf(await instance.root.submit('CREATE_WALLET', wallet('Root')), 'createWalletResult');
});

test('missing parts are empty, and mean that they always hold', async () => {
  const { policyId } = resultOf(await instance.root.submit(TYPE, policy({ condition: '', time: null })), KEY);
  const { policy: shown } = (await instance.root.query('get_policy', { policyId })).body;
  assert.deepEqual([shown.condition, shown.consensus, 'time' in shown], ['', '', false]);
  resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('an expression that is wrong is refused with its place and a hint, and nothing is stored', async () => {
  const before = await count(instance.root, 'list_policies', 'policies');
  await refusesEach(instance.root, TYPE, [
    [
      policy({ condition: 'activity.typ == 1' }),
      'parameters.condition',
      /invalid policy condition: .*field does not exist: .*typ/,
    ],
    [policy({ condition: 'activity.typ == 1' }), 'parameters.condition', /did you mean .*type/i],
    [policy({ condition: '1 +' }), 'parameters.condition', /invalid policy condition/],
    [policy({ condition: '1' }), 'parameters.condition', /must be a bool/],
    [policy({ consensus: "activity.action == 'SIGN'" }), 'parameters.consensus', /invalid policy consensus/],
    [policy({ time: "CronSpan('@daily', '8h', 'UTC')" }), 'parameters.time', /invalid policy time/],
    [policy({ condition: `${'('.repeat(100)}true${')'.repeat(100)}` }), 'parameters.condition', /invalid policy condition/],
  ]);
  const both = await instance.root.submit(TYPE, policy({ condition: 'nothing', consensus: 'nobody' }));
  assert.deepEqual(
    both.body.details[1].fieldViolations.map((v: { field: string }) => v.field),
    ['parameters.condition', 'parameters.consensus'],
  );
  assert.equal(await count(instance.root, 'list_policies', 'policies'), before);
});

test('nor is it where several must agree: nobody is asked to approve what cannot be', async () => {
  const [first, second] = pair.clients;
  const selectors = [{ subject: 'activity.nothing', operator: 'OPERATOR_EQUAL', target: 'x' }];
  const { policyName, effect } = policy();
  const wrong = policy({ condition: 'activity.typ == 1' });
  const { policyId } = resultOf(await agreed(pair, TYPE, policy({ condition: 'false' })), KEY);
  for (const [type, parameters, field] of [
    [TYPE, wrong, 'parameters.condition'],
    ['CREATE_POLICY', { policyName, effect, selectors }, 'parameters.selectors[0]'],
    ['CREATE_POLICIES', { policies: [policy(), wrong] }, 'parameters.policies[1].condition'],
    ['UPDATE_POLICY_V2', { policyId, policyConsensus: 'nobody' }, 'parameters.policyConsensus'],
  ] as const) {
    refused(await first.submit(type, parameters), [400, 'REQUEST_INVALID', /invalid policy/], field);
    const { activities } = (await first.query('list_activities')).body;
    assert.equal(activities[0].status, 'ACTIVITY_STATUS_FAILED');
    refused(await second.submit('APPROVE_ACTIVITY', { fingerprint: activities[0].fingerprint }), [
      403,
      'REQUEST_NOT_AUTHORIZED',
      /has ended/,
    ]);
  }
});

test('a field that no policy has is refused: under a wrong name, a condition would be none', () =>
  refusesEach(instance.root, TYPE, [
    [policy({ policyCondition: 'false' }), 'parameters.policyCondition', /is not a known member/],
    [policy({ policy: { condition: 'false' } }), 'parameters.policy', /is not a known member/],
    [{ ...policy(), selectors: [] }, 'parameters.selectors', /is not a known member/],
  ]));

test('a name is taken once in an organization', async () => {
  const first = policy();
  resultOf(await instance.root.submit(TYPE, { ...first, effect: 'EFFECT_DENY', condition: 'false' }), KEY);
  const answer = await instance.root.submit(TYPE, first);
  refused(answer, [400, 'REQUEST_INVALID', /policy label must be unique/], 'parameters.policyName');
  const sub = await instance.newSubOrganization('Same name', 1, 1);
  resultOf(await sub.clients[0]!.submit(TYPE, first), KEY);
});

test('version 1 and 2 say it in selectors, and show what they were sent', async () => {
  const user = NOBODY;
  const one = {
    policyName: 'selectors 1',
    effect: 'EFFECT_ALLOW',
    selectors: [
      { subject: 'activity.type', operator: 'OPERATOR_EQUAL', target: 'ACTIVITY_TYPE_CREATE_WALLET' },
      { subject: 'user.id', operator: 'OPERATOR_EQUAL', target: user },
    ],
  };
  const two = {
    policyName: 'selectors 2',
    effect: 'EFFECT_DENY',
    notes: 'two',
    selectors: [
      { subject: 'activity.resource', operator: 'OPERATOR_IN', targets: ['WALLET', 'PRIVATE_KEY'] },
      { subject: 'user.id', operator: 'OPERATOR_NOT_EQUAL', targets: [user] },
    ],
  };
  for (const [type, key, sent, condition, consensus] of [
    [
      'CREATE_POLICY',
      'createPolicyIntent',
      one,
      /^activity\.type == 'ACTIVITY_TYPE_CREATE_WALLET'$/,
      /approvers\.any\(user, user\.id == '0/,
    ],
    ['CREATE_POLICY_V2', 'createPolicyIntentV2', two, /^activity\.resource in \['WALLET', 'PRIVATE_KEY'\]$/, /user\.id != '0/],
  ] as const) {
    const answer = await instance.root.submit(type, sent);
    const { policyId } = resultOf(answer, KEY);
    assert.deepEqual(answer.body.activity.intent, { [key]: sent });
    assert.equal(answer.body.activity.type, `ACTIVITY_TYPE_${type}`);
    const { policy: shown } = (await instance.root.query('get_policy', { policyId })).body;
    assert.match(shown.condition, condition);
    assert.match(shown.consensus, consensus);
    assert.deepEqual([shown.policyName, shown.effect, shown.notes], [sent.policyName, sent.effect, 'notes' in sent ? 'two' : '']);
    resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  }
});

test('selectors that say nothing are refused, each by its place', async () => {
  const sent = (selector: object) => ({ policyName: 'bad', effect: 'EFFECT_ALLOW', selectors: [selector] });
  const at = 'parameters.selectors[0]';
  const operator = 'OPERATOR_EQUAL';
  await refusesEach(instance.root, 'CREATE_POLICY', [
    [sent({ subject: 'activity.nothing', operator, target: 'x' }), at, /invalid policy condition: .*does not exist/],
    [sent({ subject: 'user.nothing', operator, target: 'x' }), at, /invalid policy consensus: .*does not exist/],
    [sent({ subject: 'activity.type', operator }), at, /needs a target/],
    [sent({ subject: 'activity.type', target: 'x' }), at, /operator/],
    [sent({ operator, target: 'x' }), at, /not the name of a field/],
  ]);
  await refusesEach(instance.root, 'CREATE_POLICY_V2', [
    [sent({ subject: 'activity.type', operator, targets: [] }), at, /needs a target/],
  ]);
});

test('a user without permission is refused, and learns nothing about the expression', async () => {
  await refusedToNobody(instance, TYPE, policy());
  await refusedToNobody(instance, 'CREATE_POLICY', { ...policy(), selectors: [] });
  await refusedToNobody(instance, TYPE, policy({ condition: 'nonsense' }));
});

test('as many as the setting says', async () => {
  const few = await startInstance({ LIMIT_POLICIES: '2' });
  try {
    for (const policyName of ['one', 'two']) resultOf(await few.root.submit(TYPE, policy({ policyName })), KEY);
    const wanted: [number, string, RegExp] = [429, 'UNSPECIFIED', /limit of 2 policies \(LIMIT_POLICIES\)/];
    refused(await few.root.submit(TYPE, policy()), wanted);
    refused(await few.root.submit('CREATE_POLICIES', { policies: [policy()] }), wanted);
    assert.equal(await count(few.root, 'list_policies', 'policies'), 2);
  } finally {
    await few.close();
  }
});
