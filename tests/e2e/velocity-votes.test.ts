import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPair } from '../activities/support.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { refused } from '../support/refusals.ts';
import { ALWAYS, control, EXCEEDED, exceeds, instance, newPlace, SIGN, signs, userIn } from './velocity-place.ts';

test('an approval that would complete an activity beyond a control is refused itself, and the activity waits on', async () => {
  const pair = await newPair(instance, 'Velocity pair');
  const [first, second] = pair.clients;
  const both = async (type: string, parameters: object, key: string) => {
    const body = first.bodyOf(type, parameters);
    const path = `/public/v1/submit/${type.toLowerCase().replace(/_v\d$/, '')}`;
    await first.send(path, body);
    return resultOf(await second.send(path, body), key);
  };
  const { addresses } = await both('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] }, 'createWalletResult');
  const { velocityControlId } = await both(
    'CREATE_VELOCITY_CONTROL',
    weiControl('small', 5n, ALWAYS),
    'createVelocityControlResult',
  );
  const { activity } = (await first.submit(SIGN, signWei(addresses[0], 6n))).body;
  const approval = await second.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  refused(approval, [403, 'UNSPECIFIED', EXCEEDED]);
  const { activityId } = approval.body.details.at(-1);
  assert.equal((await first.query('get_activity', { activityId })).body.activity.status, 'ACTIVITY_STATUS_FAILED');
  const waiting = (await first.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual([waiting.status, waiting.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
  await both('DELETE_VELOCITY_CONTROL', { velocityControlId }, 'deleteVelocityControlResult');
  const done = await second.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  assert.equal(done.status, 200, done.text);
});

test('step-up: within the limit one user signs, beyond it two must agree, and a third who may not is refused', async () => {
  const place = await newPlace();
  const { client } = place;
  await control(place, weiControl('small', 10n));
  const users: Client[] = [];
  for (const name of ['A', 'B']) users.push(await userIn(client, name));
  const policy = (policyName: string, condition: string, consensus: string) =>
    client.submit('CREATE_POLICY_V3', { policyName, effect: 'EFFECT_ALLOW', condition, consensus, notes: '' });
  assert.equal((await policy('within', 'controls.small', 'approvers.count() >= 1')).status, 200);
  assert.equal((await policy('beyond', "activity.action == 'SIGN'", 'approvers.count() >= 2')).status, 200);
  const [a, b] = users as [Client, Client];
  await signs({ client: a }, signWei(place.addresses[0], 9n));
  const { activity } = (await a.submit(SIGN, signWei(place.addresses[0], 9n))).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const approved = await b.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  assert.equal(approved.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', approved.text);
  // It counts, whatever allowed it.
  const { activity: third } = (await a.submit(SIGN, signWei(place.addresses[0], 1n))).body;
  assert.equal(third.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
});

test('users whose votes an exhausted limit lacks are told of the limit, and may reject', async () => {
  const place = await newPlace();
  const [address] = place.addresses;
  await control(place, weiControl('small', 10n));
  const policy = { policyName: 'two', effect: 'EFFECT_ALLOW', condition: 'controls.small', consensus: 'approvers.count() >= 2' };
  resultOf(await place.client.submit('CREATE_POLICY_V3', { ...policy, notes: '' }), 'createPolicyResult');
  const a = await userIn(place.client, 'A');
  const b = await userIn(place.client, 'B');
  const { activity } = (await a.submit(SIGN, signWei(address, 9n))).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  await signs(place, signWei(address, 5n));
  await exceeds({ client: a }, signWei(address, 6n));
  const { fingerprint, id } = activity;
  refused(await b.submit('APPROVE_ACTIVITY', { fingerprint }), [403, 'UNSPECIFIED', EXCEEDED]);
  const shown = (await b.query('get_activity', { activityId: id })).body.activity;
  assert.deepEqual([shown.canApprove, shown.canReject], [true, true]);
  const rejected = await b.submit('REJECT_ACTIVITY', { fingerprint });
  assert.equal(rejected.body.activity?.status, 'ACTIVITY_STATUS_REJECTED', rejected.text);
});
