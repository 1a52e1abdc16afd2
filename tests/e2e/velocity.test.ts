import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, operator, velocityControl } from '../activities/velocity-controls/support.ts';
import { samples } from '../support/all-samples.ts';
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { refused } from '../support/refusals.ts';
import {
  ALWAYS,
  control,
  digestBy,
  EXCEEDED,
  exceeds,
  instance,
  newPlace,
  type Place,
  SIGN,
  signs,
  userIn,
} from './velocity-place.ts';

let one: Place;
before(async () => {
  one = await newPlace();
});

test('a refusal says what is left and when there is room; then there is, and the refused body stays refused', async () => {
  const place = await newPlace();
  await control(place, weiControl('hourly', 10n, ALWAYS, { window: { rolling: { duration: '3600' } } }));
  const [address] = place.addresses;
  await signs(place, signWei(address, 7n));
  const body = place.client.bodyOf(SIGN, signWei(address, 4n));
  const path = '/public/v1/submit/sign_transaction';
  const answer = await place.client.send(path, body);
  const [, detail, own] = answer.body.details;
  const { roomAt, velocityControlId, ...rest } = detail;
  assert.deepEqual(rest, {
    '@type': 'type.googleapis.com/countersign.v1.VelocityDetail',
    identifier: 'hourly',
    bucket: '',
    asked: '0.000000000000000004',
    left: '0.000000000000000003',
    threshold: '0.00000000000000001',
    window: { rolling: { duration: '3600' } },
  });
  assert.equal(own.code, 'VELOCITY_CONTROL_EXCEEDED');
  assert.match(answer.body.message, new RegExp(`room for it at ${roomAt} if nothing else is counted`));
  const left = Date.parse(roomAt) - instance.clock.now();
  assert.ok(left > 0 && left <= 3_640_000, String(left));
  await exceeds(place, signWei(address, 11n), /there never is room for it/);
  instance.clock.advance(left);
  await signs(place, signWei(address, 4n));
  assert.equal((await place.client.send(path, body)).status, 403);
  assert.equal(typeof velocityControlId, 'string');
});

test('the same body counts once', async () => {
  const place = await newPlace();
  await control(place, weiControl('once', 10n, ALWAYS));
  const body = place.client.bodyOf(SIGN, signWei(place.addresses[0], 6n));
  for (let i = 0; i < 3; i++) assert.equal((await place.client.send('/public/v1/submit/sign_transaction', body)).status, 200);
  await signs(place, signWei(place.addresses[0], 4n));
});
test('a denial by a policy names the control, and one for another reason does not', async () => {
  const place = await newPlace();
  const { client } = place;
  await control(place, weiControl('limit', 10n));
  const user = { client: await userIn(client, 'Agent') };
  const allow = {
    policyName: 'A',
    effect: 'EFFECT_ALLOW',
    condition: 'controls.limit && eth.tx.value < 100',
    consensus: 'true',
    notes: '',
  };
  resultOf(await client.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  await exceeds(user, signWei(place.addresses[0], 11n));
  refused(await user.client.submit(SIGN, signWei(place.addresses[0], 101n)), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  refused(await user.client.submit('SIGN_RAW_PAYLOAD_V2', digestBy(place.addresses[0])), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /permissions/,
  ]);
  refused(await user.client.submit('EXPORT_WALLET', { walletId: place.walletId, targetPublicKey: `04${'11'.repeat(64)}` }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /permissions/,
  ]);
});

test('what a control does not cover is allowed by no condition on it', async () => {
  const place = await newPlace();
  await control(place, weiControl('limit', 10n));
  const user = await userIn(place.client, 'Agent');
  const made: string[] = [];
  for (const [i, condition] of ['controls.limit', '!controls.limit', 'controls.limit == false'].entries()) {
    const policy = { policyName: `P${i}`, effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' };
    made.push(resultOf(await place.client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult').policyId);
  }
  const exports = { walletId: place.walletId, targetPublicKey: `04${'11'.repeat(64)}` };
  const users = { users: [{ ...userWith('Other', [newKeys()]), userTags: [] }] };
  for (const [type, parameters] of [
    ['EXPORT_WALLET', exports],
    ['CREATE_USERS_V4', users],
    ['DELETE_POLICY', { policyId: made[0] }],
  ] as const)
    refused(await user.submit(type, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
});

test('groups: a wallet, a key beside it, a user and a signer have counters of their own', async () => {
  const place = await newPlace();
  const { client, addresses } = place;
  await control(place, weiControl('of_wallet', 10n, ALWAYS, { groupBy: { wallet: {} } }));
  await control(place, weiControl('of_signer', 8n, { countersign: { enforcement: 'ALWAYS', groupBy: 'signer' } }));
  const privateKeys = [
    { privateKeyName: 'K', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
  ];
  const made = resultOf(await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }), 'createPrivateKeysResultV2');
  const key = made.privateKeys[0];
  await signs(place, signWei(addresses[0], 7n));
  await exceeds(place, signWei(addresses[0], 2n), /control of_signer: \S+2 asked, \S+1 left .* for signer \/0/);
  await exceeds(place, signWei(addresses[1], 4n), new RegExp(`control of_wallet: .* for wallet ${place.walletId}`));
  await signs(place, signWei(key.addresses[0].address, 7n));
  await exceeds(place, signWei(key.privateKeyId, 4n), new RegExp(`control of_wallet: .* for wallet ${key.privateKeyId}`));
});

test('executed activities are counted by user and kind, in all versions, and failed ones are not', async () => {
  const place = await newPlace();
  const filter = {
    activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }, { activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION' }],
  };
  const counts = { threshold: '2', method: method('COUNT'), groupBy: { user: {} } };
  await control(
    place,
    velocityControl({
      ...ALWAYS,
      identifier: 'two',
      dataSource: { activityExecution: { filter } },
      aggregation: aggregation(counts),
    }),
  );
  await signs(place, signWei(place.addresses[0], 1n));
  const wallet = { walletName: 'W', accounts: [] };
  refused(await place.client.submit('CREATE_WALLET', wallet), [400, 'REQUEST_INVALID', /unique/]);
  await signs(place, { ...wallet, walletName: 'W2' }, 'CREATE_WALLET');
  await exceeds(place, signWei(place.addresses[0], 1n), /two: 1 asked, 0 left of 2 in 86400 s for user/);
  await signs(place, { userTagName: 'T', userIds: [] }, 'CREATE_USER_TAG');
});

test('a lifetime ends with its control: a new one starts at zero under the same identifier', async () => {
  const place = await newPlace();
  const { client, addresses } = place;
  const lifetime = weiControl('lifetime', 5n, ALWAYS, { window: { infinite: {} } });
  const velocityControlId = await control(place, lifetime);
  await signs(place, signWei(addresses[0], 5n));
  instance.clock.advance(3 * 86_400_000);
  await exceeds(place, signWei(addresses[0], 1n), /there never is room for it/);
  await signs(place, { velocityControlId }, 'DELETE_VELOCITY_CONTROL');
  await control(place, lifetime);
  await signs(place, signWei(addresses[0], 5n));
  const entries = await client.query('list_velocity_entries', { velocityControlId, bucket: '' });
  assert.equal(entries.status, 404, entries.text);
});

test('windows of one activity and of a calendar', async () => {
  const place = await newPlace();
  const infinite = { window: { infinite: {} } };
  await control(place, weiControl('each', 5n, { countersign: { enforcement: 'ALWAYS', window: { transaction: {} } } }, infinite));
  const calendar = { unit: 'month', zone: 'Europe/Berlin' };
  await control(place, weiControl('monthly', 8n, { countersign: { enforcement: 'ALWAYS', window: { calendar } } }, infinite));
  const [address] = place.addresses;
  await exceeds(place, signWei(address, 6n), /control each: .* for one activity/);
  await signs(place, signWei(address, 5n));
  await exceeds(
    place,
    signWei(address, 5n),
    /control monthly: .* in a month of Europe\/Berlin .*; room for it at \d{4}-\d\d-(?:0[1-9]|[12]\d|3[01])T2[23]:00:00\.000Z/,
  );
  await signs(place, signWei(address, 3n));
});

/** Counts what users of the parent may run in a sub-organization. */
const OTP = { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_VERIFY_OTP' }] } } };
const otps = (more: object = {}) => ({
  ...velocityControl({
    identifier: 'otps',
    dataSource: OTP,
    aggregation: aggregation({ method: method('COUNT'), threshold: '5' }),
  }),
  ...more,
});

test('a sub-organization’s control binds what users of the parent run there, and is not read by the parent’s policies', async () => {
  const place = await newPlace();
  const { root } = instance;
  const { client: member } = await instance.newUser('Member');
  const verify = (client: Client) =>
    client.as(client.keys, place.client.organizationId).submit('VERIFY_OTP', samples('ACTIVITY_TYPE_VERIFY_OTP'));
  for (const client of [root, place.client]) await control({ client }, otps());
  const policy = { policyName: 'O', effect: 'EFFECT_ALLOW', consensus: 'true', notes: '' };
  resultOf(await root.submit('CREATE_POLICY_V3', { ...policy, condition: 'controls.otps' }), 'createPolicyResult');
  refused(await verify(member), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  // It reaches the code, which is wrong.
  const allowed = await verify(root);
  assert.ok(allowed.status === 400 || allowed.status === 404, allowed.text);
  const counts = aggregation({ method: method('COUNT'), operator: operator('LESS_THAN'), threshold: '1' });
  await control(place, otps({ ...ALWAYS, identifier: 'no_otps', aggregation: counts }));
  refused(await verify(root), [403, 'UNSPECIFIED', /control no_otps: 1 asked, 0 left|control no_otps: 1 asked/]);
});

test('a simulation tells the refusal and counts nothing', async () => {
  const place = await newPlace();
  await control(place, weiControl('limit', 5n, ALWAYS));
  const ask = async (value: bigint) => {
    const parameters = signWei(place.addresses[0], value);
    return (await place.client.query('simulate_activity', { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters })).body;
  };
  for (let i = 0; i < 3; i++) assert.equal((await ask(5n)).outcome, 'OUTCOME_ALLOW');
  const { outcome, reason } = await ask(6n);
  assert.equal(outcome, 'OUTCOME_DENY_EXPLICIT');
  assert.match(reason, EXCEEDED);
});

test('an organization without controls measures nothing', async () => {
  const { decisions } = instance.engine;
  const own = decisions.velocity;
  decisions.velocity = () => assert.fail('it was measured');
  try {
    await signs(one, signWei(one.addresses[0], 1n));
  } finally {
    decisions.velocity = own;
  }
});
