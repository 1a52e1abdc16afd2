import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { onRampTransactionOf } from './on-ramp-rows.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(`one of several callers may ask, and the first outcome stays, on ${engineName}`, async () => {
  const { store } = opened;
  const row = onRampTransactionOf(org, 'another');
  const { id } = row;
  await store.transaction((tx) => tx.onRampTransactions.insert(row));
  assert.deepEqual(await store.read.onRampTransactions.get(org, id), row);
  const claim = (now: number) => store.transaction((tx) => tx.onRampTransactions.claim(org, id, { before: now - 3000, now }));
  const claims = await Promise.all(Array.from({ length: 5 }, () => claim(NOW)));
  assert.deepEqual(claims.filter(Boolean), [true]);
  assert.equal(await claim(NOW + 2999), false);
  assert.equal(await claim(NOW + 3000), true);
  const settle = (status: 'COMPLETED' | 'FAILED') =>
    store.transaction((tx) => tx.onRampTransactions.settle(org, id, status, NOW + 3001));
  assert.deepEqual([await settle('COMPLETED'), await settle('FAILED')], [true, false]);
  const settled = { ...row, status: 'COMPLETED', askedAt: NOW + 3000, updatedAt: NOW + 3001 };
  assert.deepEqual(await store.read.onRampTransactions.get(org, id), settled);
  assert.equal(await claim(NOW + 9000), false, 'the outcome is known');
});

test(`old transactions of the organization are removed, on ${engineName}`, async () => {
  const { store } = opened;
  const other = idOf('sweep');
  await store.transaction((tx) => fill(tx, other, null));
  const rows = [1, 2, 3].map((i) => onRampTransactionOf(other, `sweep ${i}`, { createdAt: NOW - 10 }));
  for (const row of rows) await store.transaction((tx) => tx.onRampTransactions.insert(row));
  const left = async () => {
    const found = await Promise.all(rows.map(({ id }) => store.read.onRampTransactions.get(other, id)));
    return found.filter(Boolean).length;
  };
  await store.transaction((tx) => tx.onRampTransactions.sweep(other, NOW - 10, 10));
  assert.equal(await left(), 3);
  await store.transaction((tx) => tx.onRampTransactions.sweep(other, NOW, 10));
  assert.equal(await left(), 0);
});
