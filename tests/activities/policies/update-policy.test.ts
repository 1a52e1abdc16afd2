import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_POLICY_V2';
const KEY = 'updatePolicyResultV2';
let made = 0;
const full = () => ({
  policyName: `policy ${++made}`,
  effect: 'EFFECT_ALLOW',
  condition: "activity.kind == 'CREATE_USERS'",
  consensus: 'approvers.count() >= 2',
  time: "CronSpan('0 9 * * *', '1h', 'UTC')",
  notes: 'notes',
});

async function newPolicy(): Promise<{ policyId: string; sent: ReturnType<typeof full> }> {
  const sent = full();
  return { sent, ...resultOf(await instance.root.submit('CREATE_POLICY_V3', sent), 'createPolicyResult') };
}

const shown = async (policyId: string) => (await instance.root.query('get_policy', { policyId })).body.policy;

test('each part on its own; what is left out stays', async () => {
  const { policyId, sent } = await newPolicy();
  let wanted: object = { policyId, ...sent };
  for (const [field, as, value] of [
    ['policyName', 'policyName', 'renamed'],
    ['policyEffect', 'effect', 'EFFECT_DENY'],
    ['policyCondition', 'condition', "activity.kind == 'CREATE_WALLET'"],
    ['policyConsensus', 'consensus', 'approvers.count() >= 3'],
    ['time', 'time', "CronSpan('0 10 * * *', '1h', 'UTC')"],
    ['policyNotes', 'notes', 'other'],
  ] as const) {
    instance.clock.advance(1000);
    assert.deepEqual(resultOf(await instance.root.submit(TYPE, { policyId, [field]: value }), KEY), { policyId });
    wanted = { ...wanted, [as]: value };
    const { createdAt, updatedAt, ...rest } = await shown(policyId);
    assert.deepEqual(rest, wanted);
    assert.ok(Number(updatedAt.seconds) > Number(createdAt.seconds));
  }
});

test('empty texts clear', async () => {
  const { policyId } = await newPolicy();
  const cleared = { policyId, policyCondition: '', policyConsensus: '', time: '', policyNotes: '', policyEffect: 'EFFECT_DENY' };
  resultOf(await instance.root.submit(TYPE, cleared), KEY);
  const policy = await shown(policyId);
  assert.deepEqual([policy.condition, policy.consensus, policy.notes, 'time' in policy], ['', '', '', false]);
  resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('a changed policy holds at once', async () => {
  const { policyId } = await newPolicy();
  const { client, userId } = await instance.newUser('Changed');
  const wallet = (walletName: string) => client.submit('CREATE_WALLET', { walletName, accounts: [] });
  refused(await wallet('Before'), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  const allow = {
    policyId,
    policyCondition: "activity.kind == 'CREATE_WALLET'",
    policyConsensus: approvedBy(userId),
    time: '',
  };
  resultOf(await instance.root.submit(TYPE, allow), KEY);
  resultOf(await wallet('Meanwhile'), 'createWalletResult');
  resultOf(await instance.root.submit(TYPE, { policyId, policyCondition: 'false' }), KEY);
  refused(await wallet('After'), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('version 1 knows no time, and leaves it', async () => {
  const { policyId, sent } = await newPolicy();
  const change = { policyId, policyCondition: 'false' };
  const answer = await instance.root.submit('UPDATE_POLICY', change);
  assert.deepEqual(resultOf(answer, 'updatePolicyResult'), { policyId });
  assert.deepEqual(answer.body.activity.intent, { updatePolicyIntent: change });
  const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.deepEqual(activity.result, { updatePolicyResult: { policyId } });
  const policy = await shown(policyId);
  assert.deepEqual([policy.condition, policy.time], ['false', sent.time]);
});

test('a wrong change is refused, and changes nothing', async () => {
  const { policyId } = await newPolicy();
  const other = await newPolicy();
  const before = await shown(policyId);
  await refusesEach(instance.root, TYPE, [
    [{ policyId, policyCondition: 'x' }, 'parameters.policyCondition', /invalid policy condition/],
    [{ policyId, policyConsensus: 'x' }, 'parameters.policyConsensus', /invalid policy consensus/],
    [{ policyId, time: 'x' }, 'parameters.time', /invalid policy time/],
    [{ policyId, policyName: other.sent.policyName }, 'parameters.policyName', /policy label must be unique/],
  ]);
  assert.deepEqual(await shown(policyId), before);
  resultOf(await instance.root.submit(TYPE, { policyId, policyName: before.policyName }), KEY);
});

test('two policies that take the same name at the same instant: one does', async () => {
  for (let round = 0; round < 5; round++) {
    const two = await Promise.all([newPolicy(), newPolicy()]);
    const answers = await Promise.all(
      two.map(({ policyId }) => instance.root.submit(TYPE, { policyId, policyName: `contested ${round}` })),
    );
    assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 400], answers.map((a) => a.text).join('\n'));
  }
});

test('a policy that is not there, or another organization’s', async () => {
  const theirs = resultOf(await agreed(pair, 'CREATE_POLICY_V3', full()), 'createPolicyResult').policyId;
  for (const policyId of [NOBODY, theirs])
    refused(await instance.root.submit(TYPE, { policyId, policyName: 'x' }), [404, 'UNSPECIFIED', /policy not found/]);
});
