import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fanOut } from '../../../src/workers/webhooks/fan-out.ts';
import { EMPTY, idOf, NOW, type Opened, openMigrated } from '../../store/fixture.ts';
import { noting, type Running } from '../../store/ran.ts';
import { webhookEndpointOf } from '../../store/repositories/webhooks/webhook-endpoint-row.ts';
import { webhookEventOf } from '../../store/repositories/webhooks/webhook-rows.ts';
import { engineName } from '../../support/database.ts';

const parent = idOf('parent');
const SUBS = Array.from({ length: 99 }, (_, i) => `sub ${i}`);
const subscriptions = [{ eventType: 'ACTIVITY_UPDATES' as const, isActive: true }];
let opened: Opened;
let running: Running;
before(async () => {
  opened = await openMigrated();
  running = await noting(opened);
  await opened.store.transaction(async (tx) => {
    await tx.organizations.insert({ ...EMPTY, id: parent });
    await tx.webhookEndpoints.insert(webhookEndpointOf(parent, 'of parent', { subscriptions }));
    for (const name of SUBS) {
      await tx.organizations.insert({ ...EMPTY, id: idOf(name), parentId: parent });
      await tx.webhookEndpoints.insert(webhookEndpointOf(idOf(name), `of ${name}`, { subscriptions }));
    }
  });
});
after(async () => {
  await running.close();
  await opened.close();
});

let made = 0;
const ids = { next: () => idOf(`made ${++made}`) };
const fannedOut = () => fanOut({ store: running.store, clock: { now: () => NOW }, ids, owner: 'a test' });
const record = (names: readonly string[]) =>
  opened.store.transaction(async (tx) => {
    for (const name of names)
      await tx.webhookEvents.insert(webhookEventOf(idOf(name), `event ${++made}`, { parentId: parent, subject: `${made}` }));
  });
const endpointsWithDeliveries = async () =>
  (await opened.raw('SELECT endpoint_id FROM webhook_deliveries')).map(({ endpoint_id }) => endpoint_id);

test(`the deliveries of events of many organizations take as many statements as those of a few, on ${engineName}`, async () => {
  await fannedOut();
  const numbers: number[] = [];
  for (const names of [SUBS.slice(0, 9), SUBS]) {
    await record(names);
    const before = running.ran.length;
    assert.equal((await fannedOut())?.events, names.length);
    numbers.push(running.ran.length - before);
  }
  assert.equal(numbers[1], numbers[0]);
  assert.ok(numbers[1]! < 20, `${numbers[1]} statements`);
  assert.equal((await endpointsWithDeliveries()).length, 2 * (9 + SUBS.length));
});

test('an endpoint that its organization paused gets no delivery, and one that the service paused does', async () => {
  const paused = (name: string) => webhookEndpointOf(parent, name, { subscriptions, isActive: false });
  const [byUser, byService] = [paused('by user'), paused('by service')];
  await opened.store.transaction(async (tx) => {
    for (const endpoint of [byUser, byService]) {
      await tx.webhookEndpoints.insert(endpoint);
      await tx.webhookQueues.makeDue(parent, endpoint.id, NOW);
    }
    const queue = (await tx.webhookQueues.get(parent, byService.id))!;
    await tx.webhookQueues.change(queue, { pausedAt: NOW });
  });
  await record([SUBS[0]!]);
  await fannedOut();
  const found = await endpointsWithDeliveries();
  assert.deepEqual([found.includes(byUser.id), found.includes(byService.id)], [false, true]);
});
