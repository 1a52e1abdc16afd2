import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { engineName } from '../support/database.ts';
import { NOW, openEmpty, openMigrated } from './fixture.ts';

describe(`migrations on ${engineName}`, () => {
  test('may run again and again, and by several at once', async () => {
    const opened = await openEmpty();
    const others =
      engineName === 'sqlite' ? [] : [1, 2, 3, 4].map(() => openStore({ folder: opened.folder, url: opened.url, poolSize: 2 }));
    try {
      await assert.rejects(opened.store.check(NOW), 'not ready before');
      await Promise.all([opened.store, ...others].map((store) => store.migrate(NOW)));
      await opened.store.migrate(NOW + 1);
      await Promise.all([opened.store.migrate(NOW + 2), opened.store.migrate(NOW + 3)]);
      await opened.store.check(NOW);
      const rows = await opened.raw('SELECT version, applied_at FROM migrations ORDER BY version');
      assert.deepEqual([Number(rows[0]!.version), Number(rows[0]!.applied_at)], [1, NOW]);
      assert.equal(new Set(rows.map((row) => row.version)).size, rows.length);
    } finally {
      for (const store of others) await store.close();
      await opened.close();
    }
  });

  test('refuse a database that a newer program wrote, and say so', async () => {
    const opened = await openMigrated();
    try {
      await opened.raw("INSERT INTO migrations (version, name, applied_at) VALUES (999, 'later', 1)");
      await assert.rejects(opened.store.migrate(NOW), /schema version 999.*start the newer program/);
      await assert.rejects(opened.store.check(NOW), /not migrated to this program/);
    } finally {
      await opened.close();
    }
  });
});
