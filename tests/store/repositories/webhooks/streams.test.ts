import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bitOf } from '../../../../src/model/webhook.ts';
import type { Writer } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { EMPTY, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { webhookEndpointOf } from './webhook-endpoint-row.ts';
import { streamEventOf, webhookEventOf } from './webhook-rows.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const write = <T>(work: (tx: Writer) => Promise<T>) => opened.store.transaction(work);
async function newOrganization(name: string): Promise<string> {
  await write((tx) => tx.organizations.insert({ ...EMPTY, id: idOf(name) }));
  return idOf(name);
}
const listeners = (org: string) => opened.store.read.organizations.listeners(org);
const ACTIVITIES = bitOf('ACTIVITY_UPDATES');

test(`streams and endpoints listen beside each other, on ${engineName}`, async () => {
  const org = await newOrganization('both');
  const endpoint = webhookEndpointOf(org, 'endpoint');
  await write((tx) => tx.webhookEndpoints.insert(endpoint));
  const own = await listeners(org);
  assert.equal(own & ACTIVITIES, 0);
  await write((tx) => tx.streams.open(org, NOW + 10));
  assert.equal(await listeners(org), own | ACTIVITIES);
  await write((tx) => tx.webhookEndpoints.remove(org, endpoint.id));
  assert.equal(await listeners(org), ACTIVITIES);
  await write((tx) => tx.webhookEndpoints.insert(endpoint));
  await write((tx) => tx.streams.lapse(org, NOW + 9));
  assert.equal(await listeners(org), own | ACTIVITIES, 'it has not ended');
  assert.deepEqual(await opened.store.read.streams.lapsed(NOW + 10, 10), [org]);
  await write((tx) => tx.streams.lapse(org, NOW + 10));
  assert.equal(await listeners(org), own);
  assert.deepEqual(await opened.store.read.streams.lapsed(NOW + 10, 10), []);
});

test('a lapse leaves a gap in the sequence, a second stream does not', async () => {
  const org = await newOrganization('gap');
  const open = (until: number) => write((tx) => tx.streams.open(org, until));
  assert.deepEqual(await open(NOW), { organizationId: org, sequence: 0, since: 0, until: NOW });
  await write((tx) => tx.streams.append([streamEventOf(org, 1), streamEventOf(org, 2)]));
  assert.deepEqual(await open(NOW + 1), { organizationId: org, sequence: 2, since: 0, until: NOW + 1 });
  await write((tx) => tx.streams.lapse(org, NOW + 1));
  assert.deepEqual(await opened.store.read.streams.interests([org]), []);
  assert.deepEqual(await open(NOW + 2), { organizationId: org, sequence: 3, since: 3, until: NOW + 2 });
  const [state] = await opened.store.read.streams.states([org]);
  assert.deepEqual([state!.id, state!.sequence], [org, 3]);
});

test('a sweep removes old events, and the bodies that no delivery uses', async () => {
  const org = await newOrganization('swept');
  const names = ['old', 'delivered', 'new'];
  await write(async (tx) => {
    for (const name of names) await tx.webhookEvents.insert(webhookEventOf(org, name));
  });
  const waiting = (await opened.store.read.webhookEvents.waiting(10)).filter(({ organizationId }) => organizationId === org);
  const [old, delivered, recent] = waiting.map(({ position }) => position) as [number, number, number];
  await write((tx) =>
    tx.streams.append([
      streamEventOf(org, 1, { position: old, createdAt: NOW - 10 }),
      streamEventOf(org, 2, { position: delivered, createdAt: NOW - 10, isDelivered: true }),
      streamEventOf(org, 3, { position: recent, createdAt: NOW - 5 }),
    ]),
  );
  assert.equal(await write((tx) => tx.streams.sweep(NOW - 5, 1)), true, 'there may be more');
  assert.equal(await write((tx) => tx.streams.sweep(NOW - 5, 10)), false);
  assert.deepEqual(
    (await opened.store.read.streams.after(org, 0, 10)).map(({ sequence }) => sequence),
    [3],
  );
  assert.deepEqual(
    (await opened.store.read.webhookEvents.stillStored([old, delivered, recent])).sort(),
    [delivered, recent].sort(),
  );
});
