import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { RECEIVER } from '../../support/samples.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'DELETE_WEBHOOK_ENDPOINT';
const KEY = 'deleteWebhookEndpointResult';
const MISSING: [number, string, RegExp] = [404, 'UNSPECIFIED', /^webhook endpoint not found: parameters\.endpointId names /];
const made = await root.submit('CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name: 'Receiver' });
const { endpointId } = resultOf(made, 'createWebhookEndpointResult');

const listed = async () => (await root.query('list_webhook_endpoints')).body.webhookEndpoints;

test('what another organization has', async () => {
  const { activity } = (await agreed(pair, TYPE, { endpointId })).body;
  assert.match(activity.failure.message, MISSING[2]);
  assert.equal((await listed()).length, 1);
});

test('it is gone, and cannot be deleted again', async () => {
  assert.deepEqual(resultOf(await root.submit(TYPE, { endpointId }), KEY), { endpointId });
  assert.deepEqual(await listed(), []);
  for (const id of [endpointId, NOBODY]) refused(await root.submit(TYPE, { endpointId: id }), MISSING);
});

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [[{ endpointId: 'x' }, 'parameters.endpointId', /must be a UUID/]]));
