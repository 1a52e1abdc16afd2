import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineName } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import { openMigrated } from './fixture.ts';

test('connections in use, and transactions that wait for one, are counted', {
  skip: engineName === 'sqlite' && 'SQLite has no pool',
}, async () => {
  const { store, close } = await openMigrated();
  const gate = Promise.withResolvers<void>();
  const all = Array.from({ length: 12 }, () => store.transaction(() => gate.promise));
  const busy = await waitFor('connections', () => (store.load().used > 1 && store.load().waiting > 0 ? store.load() : undefined));
  assert.equal(busy.used + busy.waiting, all.length);
  gate.resolve();
  await Promise.all(all);
  assert.deepEqual(store.load(), { used: 0, waiting: 0 });
  await close();
});
