import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { earlierStatements } from '../../src/store/earlier-statements.ts';
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
  let looks = 0;
  const all = async (sql: string, parameters: readonly unknown[]) => {
    const { rows } = await client.query(sql, [...parameters]);
    await looked(++looks);
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
  assert.equal(await earlierStatements(conn)(), true);
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
  assert.equal(await earlierStatements(conn)(), true);
  assert.equal(most, 1);
  await third.query('SELECT pg_advisory_unlock(2)');
  await statement;
});

test('all that wait beside a long statement share the looks at it', { skip }, async () => {
  const [own, other, third] = [await connected(), await connected(), await connected()];
  await third.query('SELECT pg_advisory_lock(3)');
  const long = other.query('SELECT pg_advisory_lock(3)');
  await waitFor('the long statement', async () => {
    const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    return (await third.query(waits)).rowCount === 1;
  });
  let most = 0;
  let isHeld = true;
  const answered: boolean[] = [];
  const begin = (): void => {
    for (let i = 0; i < 10; i++) void earlierEnded().then((hasEnded) => answered.push(hasEnded && !isHeld));
  };
  const earlierEnded = earlierStatements(
    connOf(own, async (looks) => {
      most = looks;
      if (looks < 5) begin();
      assert.deepEqual(answered, []);
      if (looks !== 8) return;
      await third.query('SELECT pg_advisory_unlock(3)');
      await long;
      isHeld = false;
    }),
  );
  begin();
  await waitFor('all answers', () => answered.length === 50);
  assert.deepEqual(
    answered,
    Array.from({ length: 50 }, () => true),
  );
  assert.equal(most, 9);
});

test('a look that fails is told to all that waited for it, and the next one looks again', { skip }, async () => {
  const own = await connected();
  const conn = connOf(own, async (looks) => {
    if (looks === 1) throw new Error('lost');
  });
  const earlierEnded = earlierStatements(conn);
  const ends = await Promise.allSettled([earlierEnded(), earlierEnded()]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  );
});
