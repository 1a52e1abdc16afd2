import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { earlierEnded } from '../../src/store/earlier-statements.ts';
import type { Conn } from '../../src/store/statement.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';

const skip = engineName === 'sqlite' && 'SQLite runs one statement at a time';
const database = await freshDatabase();
const clients: pg.Client[] = [];
after(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database?.drop();
});

async function connected(name = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database!.url, application_name: name });
  clients.push(client);
  await client.connect();
  return client;
}

/** `looked`: what happens after each look at the other sessions. */
function connOf(client: pg.Client, looked: (looks: number) => Promise<void>): Conn {
  let asked = 0;
  const all = async (sql: string, parameters: readonly unknown[]) => {
    const { rows } = await client.query(sql, [...parameters]);
    // The first statement reads the time.
    if (asked++ > 0) await looked(asked - 1);
    return rows;
  };
  return { engine: 'postgres', all } as unknown as Conn;
}

test('a transaction that wrote is waited for, also while a later statement of it runs', { skip }, async () => {
  const [own, other, third] = [await connected(), await connected(), await connected()];
  await third.query('SELECT pg_advisory_lock(1)');
  await other.query('CREATE TABLE written (n int); BEGIN; INSERT INTO written VALUES (1)');
  let later: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const conn = connOf(own, async (looks) => {
    if (looks === 1) {
      later = other.query('SELECT pg_advisory_lock(1)');
      const waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await waitFor('the later statement', async () => (await third.query(waits)).rowCount === 1);
    }
    if (looks !== 3) return;
    await third.query('SELECT pg_advisory_unlock(1)');
    await later;
    await other.query('COMMIT');
    hasEnded = true;
  });
  assert.equal(await earlierEnded(conn), true);
  assert.ok(hasEnded);
});

test('a dump is not waited for', { skip }, async () => {
  const [own, dump, third] = [await connected(), await connected('pg_dump'), await connected()];
  await third.query('SELECT pg_advisory_lock(2)');
  const statement = dump.query('SELECT pg_advisory_lock(2)');
  let most = 0;
  const conn = connOf(own, async (looks) => {
    most = looks;
  });
  assert.equal(await earlierEnded(conn), true);
  assert.equal(most, 1);
  await third.query('SELECT pg_advisory_unlock(2)');
  await statement;
});
