import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../support/database.ts';
import { type Opened, openMigrated } from './opened.ts';

/** Longer than a test may take. */
const FOR_EVER = 3_600_000;

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const put = (name: string, patienceMs?: number) => opened.store.transaction((tx) => tx.instance.put(name, 'written'), patienceMs);

test('a patient transaction is durable with the next one that is not', async () => {
  const patient = put('patient', FOR_EVER);
  await put('hurried');
  await patient;
  assert.equal(await opened.store.read.instance.get('patient'), 'written');
});

test('it is written when its patience ends, whoever comes', async () => {
  await put('alone', 5);
  assert.equal(await opened.store.read.instance.get('alone'), 'written');
});

test('one that fails takes nobody with it', async () => {
  const failing = opened.store.transaction(async () => {
    throw new Error('no');
  }, FOR_EVER);
  const [failed, patient, hurried] = await Promise.allSettled([failing, put('beside', FOR_EVER), put('last')]);
  assert.deepEqual([failed.status, patient.status, hurried.status], ['rejected', 'fulfilled', 'fulfilled']);
});

const onlySqlite = { skip: engineName !== 'sqlite' && 'on PostgreSQL nothing is patient' };

test('closing the store waits for nobody’s patience', onlySqlite, async () => {
  const other = await openMigrated();
  const patient = other.store.transaction((tx) => tx.instance.put('patient', 'written'), FOR_EVER);
  await other.close();
  await patient;
});
