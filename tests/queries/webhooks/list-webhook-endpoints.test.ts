import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWebhookEndpoints } from '../../../src/queries/webhooks/list-webhook-endpoints.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { RECEIVER } from '../../support/samples.ts';

const instance = await sharedInstance();

async function add(client: Client, name: string): Promise<void> {
  resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', { url: RECEIVER, name }), 'createWebhookEndpointResult');
}

const names = async (client: Client): Promise<string[]> => {
  const { status, body, text } = await client.query('list_webhook_endpoints');
  assert.equal(status, 200, text);
  assert.deepEqual(listWebhookEndpoints.result.parse(body), body, 'the answer has its declared shape');
  return body.webhookEndpoints.map(({ name }: { name: string }) => name);
};

test('an organization’s own, in the order of creation', async () => {
  const other = (await instance.newSubOrganization('Other', 1, 1)).clients[0]!;
  assert.deepEqual(await names(instance.root), []);
  for (const name of ['one', 'two', 'three']) await add(instance.root, name);
  await add(other, 'other');
  assert.deepEqual(await names(instance.root), ['one', 'two', 'three']);
  assert.deepEqual(await names(other), ['other']);
});
