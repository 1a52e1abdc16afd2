import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connector, patienceOf } from '../../src/store/engines/postgres-servers.ts';
import { freshDatabase, plainSql } from '../support/database.ts';

test('a database whose settings hide warnings still tells of a commit that no standby has', async (t) => {
  const database = await freshDatabase();
  if (database === undefined) return t.skip('PostgreSQL only');
  const { url } = database;
  try {
    await plainSql({ folder: '', url }, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET client_min_messages = error`);
    const connection = await connector(url, patienceOf(5_000), false)(new AbortController().signal);
    const { rows } = await connection.query('SHOW client_min_messages');
    connection.end();
    assert.equal(rows[0].client_min_messages, 'warning');
  } finally {
    await database.drop();
  }
});
