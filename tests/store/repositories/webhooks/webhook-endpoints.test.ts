import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { webhookEndpointOf } from './webhook-endpoint-row.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  for (const id of [org, idOf('other')]) await opened.store.transaction((tx) => fill(tx, id, null));
});
after(() => opened.close());

test(`an endpoint is read back as it was written, and as it was replaced, on ${engineName}`, async () => {
  const { store } = opened;
  const row = webhookEndpointOf(org, 'another', { subscriptions: [] });
  await store.transaction((tx) => tx.webhookEndpoints.insert(row));
  assert.deepEqual(await store.read.webhookEndpoints.get(org, row.id), row);
  assert.equal((await store.read.webhookEndpoints.page(org, { limit: 10 })).length, 2);

  const replaced = webhookEndpointOf(org, 'another', {
    url: 'https://example.com/other',
    name: 'Other',
    isActive: false,
    subscriptions: [{ eventType: 'BALANCE_CONFIRMED_UPDATES', isActive: false, filtersJson: '{}' }],
    updatedAt: NOW + 5,
  });
  await store.transaction((tx) => tx.webhookEndpoints.replace(replaced));
  assert.deepEqual(await store.read.webhookEndpoints.get(org, row.id), replaced);
  const others = [org, idOf('other')].map((id) => store.read.webhookEndpoints.get(id, idOf('webhook endpoint')));
  const untouched = [org, idOf('other')].map((id) => webhookEndpointOf(id, 'webhook endpoint'));
  assert.deepEqual(await Promise.all(others), untouched, 'no other is');
});

test('a removed endpoint is gone, and others stay', async () => {
  const { store } = opened;
  const id = idOf('webhook endpoint');
  assert.equal(await store.transaction((tx) => tx.webhookEndpoints.remove(org, id)), true);
  assert.equal(await store.transaction((tx) => tx.webhookEndpoints.remove(org, id)), false);
  assert.equal(await store.read.webhookEndpoints.get(org, id), undefined);
  assert.notEqual(await store.read.webhookEndpoints.get(idOf('other'), id), undefined);
});
