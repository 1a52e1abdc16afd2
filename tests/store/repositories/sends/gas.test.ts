import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { gasConfigOf, gasReservationOf } from './gas-rows.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test(`a configuration is read back as it was, and another takes its place, on ${engineName}`, async () => {
  const { store } = opened;
  const row = gasConfigOf(idOf('configured'));
  await store.transaction((tx) => tx.gas.insertConfig(row));
  assert.deepEqual(await store.read.gas.config(row.organizationId), row);
  const other = { ...row, enabled: false, orgLimitMicroUsd: 1e15, windowMinutes: 43_200 };
  await store.transaction((tx) => tx.gas.replaceConfig(other));
  assert.deepEqual(await store.transaction((tx) => tx.gas.hold(row.organizationId)), other);
  await assert.rejects(
    opened.store.transaction((tx) => tx.gas.insertConfig(row)),
    'there is one in each organization',
  );
});

test(`a reservation is read back as it was, and set, on ${engineName}`, async () => {
  const { store } = opened;
  const row = gasReservationOf(idOf('reserving'), 'one');
  await store.transaction((tx) => tx.gas.insertReservation(row));
  assert.deepEqual(await store.read.gas.reservation(row.organizationId, row.sendId), row);
  assert.equal(await store.read.gas.reservation(idOf('elsewhere'), row.sendId), undefined);
  await store.transaction((tx) => tx.gas.setReserved(row.organizationId, row.sendId, 3));
  assert.deepEqual(await store.read.gas.reservation(row.organizationId, row.sendId), { ...row, microUsd: 3 });
});

test(`what was spent is known for each window, on ${engineName}`, async () => {
  const { store } = opened;
  const org = idOf('spending');
  const add = (at: number, microUsd: number) => store.transaction((tx) => tx.gas.add(org, at, microUsd));
  const spent = (now: number, windowMs: number) => store.read.gas.spent(org, now, windowMs);
  await add(NOW, 5);
  await add(NOW, 2);
  await add(NOW - 30 * MINUTE, 100);
  await add(NOW - 5 * 60 * MINUTE, 1000);
  await add(NOW - 20 * DAY, 10_000);
  assert.equal(await spent(NOW, MINUTE), 7);
  assert.equal(await spent(NOW, 60 * MINUTE), 107);
  assert.equal(await spent(NOW, DAY), 1107);
  assert.equal(await spent(NOW, 30 * DAY), 11_107);
  assert.equal(await spent(NOW + 2 * MINUTE, MINUTE), 0);
  await add(NOW, -7);
  assert.equal(await spent(NOW, MINUTE), 0);
  assert.equal(await store.read.gas.spent(idOf('elsewhere'), NOW, DAY), 0);
});

test(`buckets that no window reaches are forgotten, on ${engineName}`, async () => {
  const { store } = opened;
  const org = idOf('forgetting');
  const sweep = (now: number, most: number) => store.transaction((tx) => tx.gas.sweep(now, most));
  while ((await sweep(NOW + 40 * DAY, 100)) > 0);
  await store.transaction((tx) => tx.gas.add(org, NOW, 5));
  const kept = async (now: number, windowMs: number) => store.read.gas.spent(org, now, windowMs);
  assert.equal(await sweep(NOW + 59 * MINUTE, 10), 0);
  assert.equal(await sweep(NOW + 2 * 60 * MINUTE, 10), 1, 'the second');
  assert.equal(await sweep(NOW + 2 * DAY, 10), 1, 'the minute');
  assert.equal(await kept(NOW + 30 * DAY, 30 * DAY), 5);
  assert.equal(await sweep(NOW + 40 * DAY, 1), 1, 'no more than were asked for');
  assert.equal(await sweep(NOW + 40 * DAY, 1), 1);
  assert.equal(await sweep(NOW + 40 * DAY, 1), 0);
});
