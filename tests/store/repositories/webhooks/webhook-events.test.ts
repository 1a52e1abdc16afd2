import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bitOf } from '../../../../src/model/webhook.ts';
import type { FinishedRecord, Writer } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { EMPTY, finished, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { webhookEndpointOf } from './webhook-endpoint-row.ts';
import { kidOf, webhookEventOf } from './webhook-rows.ts';

const [parent, sub] = [idOf('parent'), idOf('sub')];
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await write(async (tx) => {
    await tx.organizations.insert({ ...EMPTY, id: parent });
    await tx.organizations.insert({ ...EMPTY, id: sub, parentId: parent });
  });
});
after(() => opened.close());

const write = <T>(work: (tx: Writer) => Promise<T>) => opened.store.transaction(work);
const waiting = async () => (await opened.store.read.webhookEvents.waiting(10)).map(({ subject }) => subject);

test(`events wait in the order in which they were written, until they have deliveries, on ${engineName}`, async () => {
  const { read } = opened.store;
  const body = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const given = webhookEventOf(sub, 'one', { parentId: parent, subject: 'z', body });
  await write((tx) => tx.webhookEvents.insert(given));
  await write((tx) => tx.webhookEvents.insert(webhookEventOf(sub, 'two', { subject: 'a' })));
  await write((tx) => tx.webhookEvents.insert(webhookEventOf(sub, 'three', { subject: 'm', createdAt: NOW + 1 })));
  assert.deepEqual(await waiting(), ['z', 'a', 'm']);
  const [one, two, three] = (await read.webhookEvents.waiting(10)).map(({ position }) => position);
  const { body: _, ...withoutBody } = given;
  assert.deepEqual(await read.webhookEvents.waiting(1, one! - 1), [{ ...withoutBody, position: one }]);
  assert.equal((await read.webhookEvents.waiting(10, one!)).length, 2);
  await write((tx) => tx.webhookEvents.fannedOut([one!, three!], NOW));
  assert.deepEqual(await waiting(), ['a']);
  assert.deepEqual((await read.webhookEvents.at([one!, two!])).length, 2);
  await write((tx) => tx.webhookEvents.remove([two!]));
  assert.deepEqual([await waiting(), (await read.webhookEvents.at([two!])).length], [[], 0]);
  assert.equal(await write((tx) => tx.webhookEvents.sweep(NOW + 1, 10)), false);
  assert.deepEqual(
    (await read.webhookEvents.at([one!, three!])).map(({ subject }) => subject),
    ['m'],
  );
});

test(`a record without an event is not written where an endpoint of its organization or parent listens, on ${engineName}`, async () => {
  const record = (organizationId: string, id: string, more: Partial<FinishedRecord> = {}) =>
    opened.store.record({ ...finished(organizationId, id, 1), ...more });
  const told = (organizationId: string, id: string) => ({ event: webhookEventOf(organizationId, id, { subject: idOf(id) }) });
  assert.equal(await record(sub, 'before'), 'written');
  const endpoint = webhookEndpointOf(parent, 'hears', { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: true }] });
  await write((tx) => tx.webhookEndpoints.insert(endpoint));
  // In one batch, on PostgreSQL: each has an outcome of its own.
  const outcomes = await Promise.all([
    record(sub, 'silent'),
    record(sub, 'told', told(sub, 'told')),
    record(parent, 'silent too'),
    record(sub, 'stale', { ...told(sub, 'stale'), facts: [{ organizationId: sub, version: 9 }] }),
    record(sub, 'again', { ...told(sub, 'again'), activity: finished(sub, 'before', 1).activity }),
  ]);
  assert.deepEqual(outcomes, ['unheard', 'written', 'unheard', 'stale', 'exists']);
  assert.deepEqual(await waiting(), [idOf('told')]);
  const written = await opened.raw('SELECT id FROM activities WHERE organization_id = $1 ORDER BY id', sub);
  assert.deepEqual(
    written.map(({ id }) => id),
    [idOf('before'), idOf('told')].sort(),
  );

  const listeners = async () => [
    await opened.store.read.organizations.listeners(parent),
    await opened.store.read.organizations.listeners(sub),
  ];
  assert.deepEqual(await listeners(), [bitOf('ACTIVITY_UPDATES'), bitOf('ACTIVITY_UPDATES')]);
  await write((tx) => tx.webhookEndpoints.replace({ ...endpoint, isActive: false }));
  assert.deepEqual(await listeners(), [0, 0]);
  await write((tx) => tx.webhookEndpoints.insert(webhookEndpointOf(sub, 'below', { subscriptions: endpoint.subscriptions })));
  assert.deepEqual(await listeners(), [0, bitOf('ACTIVITY_UPDATES')]);
  assert.equal(await record(parent, 'silent too'), 'written');
});

test(`the current key is the last one that was added, on ${engineName}`, async () => {
  const { webhookKeys: read } = opened.store.read;
  const key = (name: string, createdAt: number) => ({
    kid: kidOf(name),
    publicKey: Buffer.alloc(32, name),
    sealed: Buffer.from(name),
    createdAt,
  });
  await write((tx) => tx.webhookKeys.add(key('one', NOW)));
  await write((tx) => tx.webhookKeys.add(key('two', NOW + 5)));
  assert.deepEqual(await read.current(), { ...key('two', NOW + 5), replacedAt: null });
  assert.deepEqual((await read.list()).map(({ replacedAt }) => replacedAt).sort(), [NOW + 5, null].sort());
  await write((tx) => tx.webhookKeys.sweep(NOW + 5));
  assert.equal((await read.list()).length, 2);
  await write((tx) => tx.webhookKeys.sweep(NOW + 6));
  assert.deepEqual(await read.list(), [{ ...key('two', NOW + 5), replacedAt: null }]);
});
