import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineName } from '../support/database.ts';
import { fill, idOf, openMigrated } from './fixture.ts';

test('a destroyed key is in no file of the database', {
  skip: engineName !== 'sqlite' && 'PostgreSQL overwrites in its own time',
}, async () => {
  const opened = await openMigrated();
  const { folder, store } = opened;
  const sealed = randomBytes(96);
  const found = () => readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(sealed));
  try {
    await store.transaction(async (tx) => {
      await fill(tx, 'parent', null);
      await tx.signers.insertSecret(idOf('parent'), idOf('gone'), 'private-key', sealed);
    });
    assert.ok(found());
    await store.transaction((tx) => tx.signers.destroy(idOf('parent'), idOf('gone')));
    await store.close();
    assert.ok(!found());
  } finally {
    await opened.close();
  }
});
