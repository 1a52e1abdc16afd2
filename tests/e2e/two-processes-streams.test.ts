import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { uuidV7 } from '../../src/base/ids.ts';
import { systemRandom } from '../../src/base/random.ts';
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { type OpenStream, openStream, STREAM, ticketOf } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';

const skip = engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone';

describe('streams of two processes of one database', { skip }, async () => {
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
  let services: ServiceProcess[] = [];
  let roots: Client[] = [];

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-streams-'));
    database = (await freshMigrated(dataDir))!;
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    services = await Promise.all([startProcess(env), startProcess(env)]);
    await Promise.all(services.map((service) => service.ready()));
    roots = services.map((service) => service.root());
  });
  after(async () => {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  const act = async (root: Client): Promise<string> => {
    const { body, text } = await root.submit('CREATE_USER_TAG', { userTagName: `tag ${Math.random()}`, userIds: [] });
    assert.ok(body.activity, text);
    return body.activity.id;
  };
  const untold = async () => {
    const sql = 'SELECT 1 FROM webhook_events WHERE fanned_out_at IS NULL';
    return (await rawSql({ folder: dataDir, url: database.url }, sql, [])).length;
  };
  /** Opens a stream when all that happened before was told: the events of the last moment would come first. */
  async function open(i: number, lastId?: string): Promise<OpenStream> {
    await waitFor('the events before', async () => (await untold()) === 0);
    return openStream(roots[i]!.url, roots[i]!, lastId === undefined ? {} : { lastId });
  }

  test('each process tells what the other did', async () => {
    const streams = [await open(0), await open(1)];
    const ids: string[] = [];
    for (let i = 0; i < 10; i++) ids.push(await act(roots[i % 2]!));
    for (const stream of streams) {
      await waitFor('all', () => stream.activities().length === ids.length);
      assert.deepEqual(stream.activities(), ids);
      stream.close();
    }
  });

  test('a brief stream of one process has news of the other, and of what commits late', async () => {
    const stream = await openStream(roots[1]!.url, roots[1]!, { brief: true });
    const news = () => stream.messages.filter(({ event }) => event === 'changes').map(({ data }) => data);
    await act(roots[0]!);
    await waitFor('the news', () => news().length > 0);
    const slow = new pg.Client({ connectionString: database.url });
    await slow.connect();
    try {
      await slow.query('BEGIN');
      await slow.query('CREATE TEMP TABLE late ON COMMIT DROP AS SELECT * FROM activities LIMIT 1');
      const changed = `id = gen_random_uuid(), fingerprint = sha256('late'), status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'`;
      const { rows } = await slow.query(`UPDATE late SET ${changed}, position = pg_current_xact_id()::text::bigint RETURNING id`);
      await slow.query('INSERT INTO activities SELECT * FROM late');
      // Later activities commit, and are looked for, before it does.
      for (let i = 0; i < 5; i++) {
        await act(roots[0]!);
        await sleep(250);
      }
      await slow.query('COMMIT');
      await waitFor('the late one', () => news().at(-1)!.includes(rows[0].id));
    } finally {
      await slow.end();
    }
    stream.close();
  });

  test('a ticket of one process opens one stream, at any process', async () => {
    const ticket = await ticketOf(roots[0]!);
    const headers = { authorization: `Bearer ${ticket}` };
    const answers = await Promise.all([0, 1, 0, 1].map((i) => fetch(roots[i]!.url + STREAM, { headers })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    for (const answer of answers) await answer.body!.cancel();
  });

  test('a key that one process deletes ends streams of the other within two seconds', async () => {
    const keys = newKeys();
    const users = [{ ...userWith('Leaves', [keys]), userTags: [] }];
    const { userIds } = resultOf(await roots[0]!.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
    const stream = await openStream(roots[1]!.url, roots[1]!.as(keys));
    resultOf(await roots[0]!.submit('DELETE_USERS', { userIds }), 'deleteUsersResult');
    const from = performance.now();
    assert.deepEqual(JSON.parse((await stream.message('end')).data), { reason: 'revoked' });
    assert.ok(performance.now() - from < 2_000, `${performance.now() - from} ms`);
  });

  test('a transaction that is open for five seconds while others commit: nothing is missing, and nothing twice', async () => {
    const { organizationId } = roots[0]!;
    const streams = [await open(0), await open(1)];
    const ids = uuidV7({ now: Date.now }, systemRandom);
    const late = ids.next();
    const slow = new pg.Client({ connectionString: database.url });
    await slow.connect();
    try {
      await slow.query('BEGIN');
      const event = `INSERT INTO webhook_events (id, organization_id, event_type, subject, filters, body, created_at)
        VALUES ($1, $2, 'ACTIVITY_UPDATES', 'late', '{}', $3, $4)`;
      await slow.query(event, [ids.next(), organizationId, Buffer.from(JSON.stringify({ id: late })), Date.now()]);
      const acted: string[] = [];
      const until = performance.now() + 5_000;
      for (let i = 0; performance.now() < until; i++) {
        acted.push(await act(roots[i % 2]!));
        await sleep(200);
      }
      for (const stream of streams) await waitFor('the others', () => stream.activities().length === acted.length);
      assert.ok(acted.length > 5);
      await slow.query('COMMIT');
      acted.push(late, await act(roots[0]!));
      for (const stream of streams) {
        await waitFor('the late one', () => stream.activities().length === acted.length);
        assert.deepEqual(stream.activities(), acted);
      }
      const positions = streams[0]!.messages.map(({ id }) => id);
      for (const [i, lastId] of positions.entries()) {
        const resumed = await open(i % 2, lastId);
        await waitFor('the rest', () => resumed.activities().length === acted.length - i);
        assert.deepEqual(resumed.activities(), acted.slice(i));
        resumed.close();
      }
      for (const stream of streams) stream.close();
    } finally {
      await slow.end();
    }
  });

  test('a process that stops ends its streams, which go on at the other', async () => {
    const stream = await open(1);
    services[1]!.child.kill('SIGTERM');
    assert.deepEqual(JSON.parse((await stream.message('end')).data), { reason: 'stopping' });
    const id = await act(roots[0]!);
    const resumed = await open(0, stream.lastId());
    await resumed.message('activity');
    assert.deepEqual(resumed.activities(), [id]);
    resumed.close();
    assert.equal(await services[1]!.exited, 0);
  });
});
