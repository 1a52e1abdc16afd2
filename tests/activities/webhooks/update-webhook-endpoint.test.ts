import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { RECEIVER } from '../../support/samples.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'UPDATE_WEBHOOK_ENDPOINT';
const KEY = 'updateWebhookEndpointResult';
const MISSING: [number, string, RegExp] = [404, 'UNSPECIFIED', /^webhook endpoint not found: parameters\.endpointId names /];
const subscriptions = [{ eventType: 'BALANCE_CONFIRMED_UPDATES', isActive: true }];
const made = await root.submit('CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name: 'Receiver', subscriptions });
const { endpointId, webhookEndpoint: old } = resultOf(made, 'createWebhookEndpointResult');

const listed = async (client: Client) => (await client.query('list_webhook_endpoints')).body.webhookEndpoints;

test('each member is changed alone, and the others stay', async () => {
  let expected = old;
  for (const change of [{ url: `${RECEIVER}/new` }, { name: 'New' }, { isActive: false }, { isActive: true, name: 'Newer' }]) {
    expected = { ...expected, ...change };
    const result = resultOf(await root.submit(TYPE, { endpointId, ...change }), KEY);
    assert.deepEqual(result, { endpointId, webhookEndpoint: expected });
    assert.deepEqual(await listed(root), [expected]);
  }
});

test('an endpoint that does not exist is refused, and so is one of another organization', async () => {
  refused(await root.submit(TYPE, { endpointId: NOBODY, name: 'New' }), MISSING);
  const before = await listed(root);
  const { activity } = (await agreed(pair, TYPE, { endpointId, name: 'Stolen' })).body;
  assert.match(activity.failure.message, MISSING[2]);
  assert.deepEqual(await listed(root), before);
});

test('bad parameters are named, and change nothing', async () => {
  const before = await listed(root);
  await refusesEach(root, TYPE, [
    [{ endpointId }, 'parameters', /must have at least one of url, name and isActive$/],
    [{ endpointId, name: 'New', url: 'https://10.0.0.1' }, 'parameters.url', /has no public address/],
    [{ endpointId, url: 'https://[2d00::1]#a' }, 'parameters.url', /must not have a fragment/],
    [{ endpointId, name: '' }, 'parameters.name', /must not be empty/],
  ]);
  assert.deepEqual(await listed(root), before);
});

test('a policy that names an endpoint allows its change alone', async () => {
  const other = resultOf(
    await root.submit('CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name: 'Other' }),
    'createWebhookEndpointResult',
  );
  const { client, userId } = await instance.newUser('Keeper');
  const policy = {
    policyName: 'Keeper',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(user, user.id == '${userId}')`,
    condition: `activity.resource == 'WEBHOOK_ENDPOINT' && activity.params.endpoint_id == '${endpointId}'`,
    notes: '',
  };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  resultOf(await client.submit(TYPE, { endpointId, name: 'Kept' }), KEY);
  refused(await client.submit(TYPE, { endpointId: other.endpointId, name: 'Kept' }), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
  resultOf(await client.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId }), 'deleteWebhookEndpointResult');
});
