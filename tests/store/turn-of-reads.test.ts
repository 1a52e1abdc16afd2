import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { EngineDriver } from '../../src/store/engines/driver.ts';
import { openSqlite } from '../../src/store/engines/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-reads-'));
let driver: EngineDriver;
before(async () => {
  driver = openSqlite(folder, 2, () => 0);
  await driver.write(async (conn) => void (await conn.run('CREATE TABLE written (n INTEGER)', [])));
});
after(async () => {
  await driver.close();
  rmSync(folder, { recursive: true, force: true });
});

const count = async () => ((await driver.reader.all('SELECT count(*) AS n FROM written', [])) as { n: number }[])[0]!.n;
const add = (conn: { run(sql: string, parameters: readonly unknown[]): unknown }) =>
  conn.run('INSERT INTO written VALUES (1)', []);

test('a look-up sees each commit before it, also within one turn of the event loop', async () => {
  for (let n = 1; n <= 50; n++) {
    assert.equal(await count(), n - 1);
    const seen = driver.transaction(async (conn) => add(conn)).then(count);
    assert.equal(await seen, n);
  }
});

test('a look-up during a write sees all writes before it, and nothing of that one', async () => {
  const first = await count();
  // Each is a commit of its own, and all follow each other in one turn.
  const seen = await Promise.all(
    Array.from({ length: 20 }, () =>
      driver.exclusively(async (conn) => {
        const before = await count();
        await add(conn);
        return [before, await count()];
      }),
    ),
  );
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, n) => [first + n, first + n]),
  );
});

test('a look-up beside a group that a disk failure has ended does not bring it back', async () => {
  const first = await count();
  const written = driver.transaction(async (conn) => add(conn));
  const failing = driver.transaction(async (conn) => {
    // As SQLite does by itself after a failed write.
    await conn.run('ROLLBACK', []);
    await count();
    throw new Error('disk I/O error');
  });
  const outcomes = await Promise.allSettled([written, failing]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await count(), first);
});
