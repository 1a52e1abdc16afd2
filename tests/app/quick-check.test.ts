import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkOnce } from '../../src/app/quick-check.ts';
import { openStore } from '../../src/store/store.ts';
import { engineName } from '../support/database.ts';

const DAY = 24 * 60 * 60 * 1000;
const LARGE = 2 * 1024 ** 3;

test('a database above 1 GiB is looked through once a day at most', {
  skip: engineName !== 'sqlite' && 'about SQLite',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-check-'));
  let now = Date.parse('2026-11-27');

  /** A start with a file of that size; returns what is said of the check. */
  async function started(bytes?: number): Promise<string> {
    if (bytes !== undefined) truncateSync(join(folder, 'countersign.db'), bytes);
    const store = openStore({ folder, url: undefined, poolSize: 1 });
    try {
      await store.migrate(now);
      const said = Promise.withResolvers<string>();
      const say = (_fields: object, message: string) => said.resolve(message);
      const log = { info: say, warn: say, error: say };
      const check = checkOnce({ store, machine: { now: () => now }, log, afterMs: 0 });
      const message = await said.promise;
      await check.close();
      return message;
    } finally {
      await store.close();
    }
  }

  try {
    for (const start of ['first', 'second']) assert.match(await started(), /is not damaged/, start);
    assert.match(await started(LARGE), /is not damaged/);
    now += DAY - 1000;
    assert.match(await started(LARGE), /less than a day ago/);
    now += 2000;
    assert.match(await started(LARGE), /is not damaged/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
