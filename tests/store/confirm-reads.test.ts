import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineName, plainSql } from '../support/database.ts';
import { NOW, openMigrated } from './fixture.ts';

test('an answer from the record commits nothing where no standby is waited for', {
  skip: engineName === 'sqlite' && 'PostgreSQL only',
}, async () => {
  const opened = await openMigrated();
  try {
    await opened.store.confirmReads(NOW);
    assert.deepEqual(await plainSql(opened, "SELECT value FROM instance WHERE key = 'confirmed'"), []);
  } finally {
    await opened.close();
  }
});
