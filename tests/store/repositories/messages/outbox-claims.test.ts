import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { idOf, NOW, openMigrated } from '../../fixture.ts';

const COUNT = 100;

test(`claims of the same messages in another order do not wait for each other, on ${engineName}`, async () => {
  const opened = await openMigrated();
  try {
    const { store } = opened;
    const [organizationId, payerId] = [idOf('organization'), idOf('payer')];
    await store.transaction(async (tx) => {
      for (let i = 0; i < COUNT; i++) {
        const [id, activityId] = [idOf(`message ${i}`), idOf(`activity ${i}`)];
        await tx.outbox.insert({ organizationId, id, activityId, payerId, topic: 'mail', payload: '', createdAt: NOW });
      }
    });
    const found = await store.read.outbox.dueOf('mail', payerId, NOW, COUNT);
    let tries = 0;
    const claim = (some: typeof found) =>
      store.transaction((tx) => {
        tries++;
        return tx.outbox.claim(some, NOW + 1_000);
      });
    const claimed = await Promise.all([claim(found), claim(found.toReversed())]);
    const ids = claimed.flat().map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [COUNT, COUNT]);
    assert.equal(tries, 2);
  } finally {
    await opened.close();
  }
});
