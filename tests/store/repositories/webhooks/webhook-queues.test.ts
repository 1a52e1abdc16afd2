import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NEVER } from '../../../../src/model/send.ts';
import type { Writer } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { EMPTY, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { webhookEndpointOf } from './webhook-endpoint-row.ts';
import { webhookDeliveryOf } from './webhook-rows.ts';

const org = idOf('org');
const LEASE = 10_000;
let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const write = <T>(work: (tx: Writer) => Promise<T>) => opened.store.transaction(work);
const keyOf = (name: string) => ({ organizationId: org, endpointId: idOf(name) });
const queue = async (name: string) => (await opened.store.read.webhookQueues.get(org, idOf(name)))!;
const makeDue = (name: string, at: number) => write((tx) => tx.webhookQueues.makeDue(org, idOf(name), at));
const claimDue = async (owner: string, now: number) => {
  const found = await opened.store.read.webhookQueues.due(now, 10, false);
  return (await write((tx) => tx.webhookQueues.claim(found, owner, now, now + LEASE))).map(({ endpointId }) => endpointId);
};

test(`a queue has one owner until its lease ends, on ${engineName}`, async () => {
  await makeDue('a', NOW);
  const nextDue = opened.store.read.webhookQueues.nextDue;
  assert.equal(await nextDue(NOW - 1, NOW), NOW);
  assert.deepEqual([await nextDue(NOW, NEVER - 1), await nextDue(NOW - 2, NOW - 1)], [undefined, undefined]);
  const found = await opened.store.read.webhookQueues.due(NOW, 10, false);
  const claims = await Promise.all(
    ['one', 'two'].map((owner) => write((tx) => tx.webhookQueues.claim(found, owner, NOW, NOW + LEASE))),
  );
  assert.deepEqual(claims.map(({ length }) => length).sort(), [0, 1]);
  const { owner } = await queue('a');
  const hold = (by: string, until: number) => write((tx) => tx.webhookQueues.hold(keyOf('a'), by, until));
  assert.equal(await hold('another', NOW + LEASE), false);
  assert.equal(await hold(owner, NOW + 2 * LEASE), true);
  assert.deepEqual(await claimDue('three', NOW + 2 * LEASE - 1), []);
  assert.deepEqual(await claimDue('three', NOW + 2 * LEASE), [idOf('a')], 'the owner died');
  assert.equal(await hold(owner, NOW + 3 * LEASE), false);
  await write((tx) => tx.webhookQueues.release(keyOf('a'), 'three', NEVER));
  assert.deepEqual([(await queue('a')).owner, (await queue('a')).nextAt], ['', NEVER]);
});

test('work that comes while a queue has an owner is not forgotten', async () => {
  await makeDue('b', NOW);
  assert.deepEqual(await claimDue('one', NOW), [idOf('b')]);
  await makeDue('b', NOW + 5);
  assert.deepEqual(await claimDue('two', NOW + 5), [], 'it has an owner');
  assert.equal(await write((tx) => tx.webhookQueues.hold(keyOf('b'), 'one', NOW + LEASE + 5)), true);
  await write((tx) => tx.webhookQueues.release(keyOf('b'), 'one', NEVER));
  assert.deepEqual(await claimDue('two', NOW + 5), [idOf('b')]);
  await write((tx) => tx.webhookQueues.releaseAll(NOW + 6));
  assert.deepEqual(await claimDue('three', NOW + 6), [idOf('b')], 'the only process died');
});

test('a paused endpoint is looked at an hour after an event, and its events are still wanted', async () => {
  await write((tx) => tx.organizations.insert({ ...EMPTY, id: org }));
  const endpoint = webhookEndpointOf(org, 'c');
  await write((tx) => tx.webhookEndpoints.insert(endpoint));
  const listeners = () => opened.store.read.organizations.listeners(org);
  assert.equal(await listeners(), 4);
  await makeDue('c', NOW);
  await claimDue('one', NOW);
  await write((tx) => tx.webhookQueues.release(keyOf('c'), 'one', NEVER));
  const seen = await queue('c');
  await write(async (tx) => {
    await tx.webhookQueues.change(seen, { failures: 3, failingSince: NOW });
    await tx.webhookQueues.change(await tx.webhookQueues.get(org, endpoint.id).then((now) => now!), { pausedAt: NOW + 1 });
    await tx.webhookEndpoints.replace({ ...endpoint, isActive: false });
  });
  await makeDue('c', NOW + 2);
  const paused = { failures: 3, failingSince: NOW, pausedAt: NOW + 1, nextAt: NOW + 2 + 3_600_000 };
  assert.deepEqual(await queue('c'), { ...seen, ...paused });
  assert.equal(await listeners(), 4);
  await write((tx) => tx.webhookQueues.resume(org, endpoint.id, NOW + 3));
  assert.deepEqual(await queue('c'), { ...seen, nextAt: NOW + 3 });
  assert.equal(await listeners(), 0, 'its owner turned it off');
});

test('a paused endpoint that keeps too many events is looked at immediately', async () => {
  const full = 100_500;
  await makeDue('full', NOW);
  await write(async (tx) => {
    const seen = await queue('full');
    await tx.webhookQueues.settle([{ ...seen, pending: full, nextAt: NEVER }]);
    await tx.webhookQueues.change(seen, { pausedAt: NOW });
  });
  await makeDue('full', NOW + 1);
  assert.equal((await queue('full')).nextAt, NOW + 1 + 3_600_000);
  const delivery = webhookDeliveryOf(org, 'full', { endpointId: idOf('full'), createdAt: NOW + 2 });
  await write((tx) => tx.webhookDeliveries.insert([delivery]));
  const { pending, nextAt } = await queue('full');
  assert.deepEqual([pending, nextAt], [full + 1, NOW + 2]);
});

test(`a named lease has one owner until it ends, on ${engineName}`, async () => {
  const claim = (owner: string, now: number) => write((tx) => tx.leases.claim('fan-out', owner, now, now + LEASE));
  assert.deepEqual((await Promise.all([claim('one', NOW), claim('two', NOW)])).sort(), [false, true]);
  const owner = (await claim('one', NOW)) ? 'one' : 'two';
  const other = owner === 'one' ? 'two' : 'one';
  assert.equal(await claim(owner, NOW + 1), true, 'renewed');
  assert.equal(await claim(other, NOW + LEASE), false);
  assert.equal(await claim(other, NOW + 1 + LEASE), true);
  await write((tx) => tx.leases.release('fan-out', owner));
  assert.equal(await claim(owner, NOW + 2 + LEASE), false, 'it is not the owner any more');
  await write((tx) => tx.leases.release('fan-out', other));
  assert.equal(await claim(owner, NOW + 2 + LEASE), true);
});
