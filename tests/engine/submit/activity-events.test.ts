import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { newPair } from '../../activities/support.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { RECEIVER } from '../../support/samples.ts';

const instance = await sharedInstance();
const { root } = instance;
const pair = await newPair(instance, 'Pair');

const subscribed = { url: RECEIVER, name: 'Receiver', subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };

async function listen(client: Client, more: object = {}): Promise<string> {
  const made = await client.submit('CREATE_WEBHOOK_ENDPOINT', { ...subscribed, ...more });
  const { endpointId } = resultOf(made, 'createWebhookEndpointResult');
  return endpointId;
}

const update = (endpointId: string, change: object) => root.submit('UPDATE_WEBHOOK_ENDPOINT', { endpointId, ...change });

afterEach(async () => {
  for (const { endpointId } of (await root.query('list_webhook_endpoints')).body.webhookEndpoints)
    await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId });
});

type Row = { subject: string; body: Buffer; event_type: string; filters: string; parent_id: string | null };

/** The events about an activity, in their order. */
async function eventsOf(activityId: string): Promise<Row[]> {
  const all = (await instance.raw('SELECT * FROM webhook_events ORDER BY position')) as Row[];
  return all.filter(({ subject }) => subject === activityId);
}

/** The activity as each of its events has it. */
// biome-ignore lint/suspicious/noExplicitAny: activities are looked into freely
const told = async (activityId: string): Promise<any[]> =>
  (await eventsOf(activityId)).map(({ body }) => JSON.parse(body.toString()));
const statuses = async (activityId: string) =>
  (await told(activityId)).map(({ status }) => status.replace('ACTIVITY_STATUS_', ''));

const tag = (name: string) => ({ userTagName: name, userIds: [] });

async function newTag(client: Client, name: string): Promise<string> {
  const { activity } = (await client.submit('CREATE_USER_TAG', tag(name))).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  return activity.id;
}

const wallet = {
  walletName: 'signs',
  accounts: [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ],
};
const { addresses } = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult');

async function signed(n: number): Promise<string> {
  const payload = { signWith: addresses[0], payload: n.toString(16).padStart(64, '0') };
  const parameters = { ...payload, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const { activity } = (await root.submit('SIGN_RAW_PAYLOAD_V2', parameters)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  return activity.id;
}

test(`an activity is an event once an endpoint listens, and as a list shows it, on ${engineName}`, async () => {
  const before = [await signed(1), await newTag(root, 'before')];
  await listen(root);
  // The first signature comes while memory does not know of the endpoint, the second after.
  const after = [await signed(2), await signed(3), await newTag(root, 'after')];
  const { client } = await instance.newUser('Reader');
  const { activities } = (await client.query('list_activities')).body as { activities: { id: string }[] };
  for (const id of before) assert.deepEqual(await told(id), []);
  for (const id of after) {
    const shown = activities.find((one) => one.id === id);
    assert.deepEqual(await told(id), [shown]);
  }
  const [row] = await eventsOf(after[0]!);
  const filters = { activityType: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', activityStatus: 'ACTIVITY_STATUS_COMPLETED' };
  assert.deepEqual([row!.event_type, JSON.parse(row!.filters)], ['ACTIVITY_UPDATES', filters]);
});

test('an endpoint that is off, or wants other events, makes no activity an event', async () => {
  const id = await listen(root);
  assert.equal((await told(await signed(10))).length, 1);
  await update(id, { isActive: false });
  instance.clock.advance(61_000);
  assert.deepEqual(await told(await signed(11)), []);
  await update(id, { isActive: true });
  assert.equal((await told(await signed(12))).length, 1);
  await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId: id });
  await listen(root, { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: false }] });
  await listen(root, { subscriptions: [{ eventType: 'BALANCE_CONFIRMED_UPDATES' }] });
  assert.deepEqual(await told(await newTag(root, 'unheard')), []);
});

test('each status that votes lead to is an event, and so are the votes', async () => {
  await listen(root);
  const [first, second] = pair.clients;
  const waiting = (await first.submit('CREATE_USER_TAG', tag('approved'))).body.activity;
  assert.deepEqual(await statuses(waiting.id), ['CONSENSUS_NEEDED']);
  const approval = await second.submit('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  assert.equal(approval.body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.deepEqual(await statuses(waiting.id), ['CONSENSUS_NEEDED', 'COMPLETED']);
  assert.equal((await told(waiting.id))[1].votes.length, 2);
  const { activities } = (await pair.outsider.query('list_activities')).body;
  const own = activities.find(({ type }: { type: string }) => type === 'ACTIVITY_TYPE_APPROVE_ACTIVITY');
  assert.deepEqual(await told(own.id), [own]);
  assert.deepEqual(
    (await told(waiting.id))[1],
    activities.find(({ id }: { id: string }) => id === waiting.id),
  );

  const bad = (await first.submit('CREATE_USER_TAG', tag('rejected'))).body.activity;
  await second.submit('REJECT_ACTIVITY', { fingerprint: bad.fingerprint });
  assert.deepEqual(await statuses(bad.id), ['CONSENSUS_NEEDED', 'REJECTED']);

  // The tag is named twice, so the second one to complete fails.
  const named = (await first.submit('CREATE_USER_TAG', tag('twice'))).body.activity;
  const again = (await first.submit('CREATE_USER_TAG', tag('twice'))).body.activity;
  for (const { fingerprint } of [named, again]) await second.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.deepEqual(await statuses(named.id), ['CONSENSUS_NEEDED', 'COMPLETED']);
  assert.deepEqual(await statuses(again.id), ['CONSENSUS_NEEDED', 'FAILED']);
});

test('a refusal that is stored is an event', async () => {
  await listen(root);
  const { client } = await instance.newUser('Powerless');
  const refused = await client.submit('CREATE_USER_TAG', tag('no'));
  assert.equal(refused.status, 403);
  const { activities } = (await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] })).body;
  const { client: reader } = await instance.newUser('Second reader');
  const seen = (await reader.query('list_activities')).body.activities.find(({ id }: { id: string }) => id === activities[0].id);
  assert.deepEqual(await told(activities[0].id), [seen]);
});

test('an endpoint of a parent hears its sub-organizations, and one of a sub-organization hears only its own', async () => {
  const [own] = (await instance.newSubOrganization('Listening', 1, 1)).clients;
  const [other] = (await instance.newSubOrganization('Beside', 1, 1)).clients;
  await listen(own!);
  assert.equal((await told(await newTag(own!, 'own'))).length, 1);
  assert.deepEqual(await told(await newTag(other!, 'other')), []);
  assert.deepEqual(await told(await newTag(root, 'of the parent')), []);
  await listen(root);
  const ids = [await newTag(other!, 'heard'), await newTag(root, 'of the parent, heard')];
  for (const id of ids) assert.equal((await told(id)).length, 1);
  const parents = await Promise.all(ids.map(async (id) => (await eventsOf(id)).map(({ parent_id }) => parent_id !== null)));
  assert.deepEqual(parents, [[true], [false]]);
  const deleted = (await other!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true })).body.activity;
  assert.deepEqual(await statuses(deleted.id), ['COMPLETED'], 'the parent is told of the deletion itself');
});
