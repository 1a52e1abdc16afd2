import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/config.ts';
import { clientOf } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { roomy } from '../support/world/homes.ts';
import { type Frozen, shownActivity, signatureOf } from './frozen.ts';
import { shrunk } from './grown.ts';

/** What was released is read by every later version: the database, its keys and its bodies. Shapes and texts only grow. */

const versions = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path));
const unzipped = (...path: string[]) => gunzipSync(read(...path));

async function restoreRows(version: string, at: { folder: string; url: string }): Promise<void> {
  await plainSql(at, read(version, 'schema.postgres.sql').toString());
  const all = unzipped(version, 'postgres/rows.json.gz').toString();
  const [{ names }] = (await plainSql(at, 'SELECT array(SELECT json_object_keys($1::json)) AS names', [all])) as [
    { names: string[] },
  ];
  for (const name of names) {
    await plainSql(at, `DELETE FROM "${name}"`);
    await plainSql(at, `INSERT INTO "${name}" SELECT * FROM json_populate_recordset(NULL::"${name}", $1::json -> '${name}')`, [
      all,
    ]);
  }
}

/** A service over a copy of the database that `version` left. */
async function restored(version: string, use: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-released-'));
  const database = await freshDatabase();
  try {
    writeFileSync(join(folder, 'root.key'), read(version, engineName, 'root.key'), { mode: 0o600 });
    if (database === undefined) writeFileSync(join(folder, 'countersign.db'), unzipped(version, 'sqlite/countersign.db.gz'));
    else await restoreRows(version, { folder, url: database.url });
    const env = {
      ...roomy,
      DATA_DIR: folder,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'fatal',
      DEV_OUTBOX: '1',
      RATE_UNSTAMPED: 'off',
    };
    const app = await createApp(readConfig({ ...env, ...(database && { DATABASE_URL: database.url }) }));
    try {
      await use(await app.http.listen({ host: '127.0.0.1', port: 0 }));
    } finally {
      await app.close();
    }
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const version of versions) {
  test(`a database of ${version} on ${engineName}: each activity is shown as then, and each key signs as then`, () =>
    restored(version, async (url) => {
      const { holders, activities, signatures } = JSON.parse(unzipped(version, engineName, 'facts.json.gz').toString()) as Frozen;
      const clients = holders.map(({ organizationId, keys }) => clientOf(url, keys, organizationId));
      assert.ok(activities.length > 300 && signatures.length > 20, `${activities.length}, ${signatures.length}`);
      for (const { holder, id, shown } of activities) {
        const [was, now] = [shown, await shownActivity(clients[holder]!, id)].map((text) => JSON.parse(text));
        assert.deepEqual(shrunk(was, now), [], `${id} of ${version}`);
      }
      for (const { holder, signWith, ...signature } of signatures)
        assert.deepEqual(await signatureOf(clients[holder]!, signWith), signature, `${signWith} of ${version}`);
    }));

  for (const name of ['public-api.json', 'auth-proxy.json'])
    test(`what ${version} accepts and answers is accepted and answered as then: ${name}`, () => {
      const now = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi', name), 'utf8'));
      assert.deepEqual(shrunk(JSON.parse(unzipped(version, `${name}.gz`).toString()), now), []);
    });

  test(`policies of ${version} may use each root and function as then`, () => {
    const now = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../openapi/policy-environment.json'), 'utf8'));
    assert.deepEqual(shrunk(JSON.parse(unzipped(version, 'policy-environment.json.gz').toString()), now), []);
  });
}

test('members that are missing, changed or of another type are named, and new members and texts are not', () => {
  const was = { id: 'a', list: ['x', 'y'], inner: { n: 1, gone: true }, description: 'old' };
  assert.deepEqual(shrunk(was, { id: 'b', list: ['y'], inner: { n: '1' }, description: 'new' }), [
    '/id is "b", not "a"',
    '/list has no x',
    '/inner/n is "1", not 1',
    '/inner has no gone',
  ]);
  assert.deepEqual(shrunk(was, { ...was, list: ['z', 'y', 'x'], inner: { ...was.inner, more: 1 }, description: 'new' }), []);
});
