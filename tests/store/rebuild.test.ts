import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { engineName, plainSql } from '../support/database.ts';
import { seeded } from '../support/seeded.ts';
import { digestOf, idOf, NOW, type Opened } from './fixture.ts';
import { insertRow, insertRows, openOlder } from './older/database.ts';

const onSqlite = engineName === 'sqlite';
const COUNT = 300;
const BATCH = { rows: 40, bytes: 2 ** 20 };
const ORGS = ['one', 'two'].map(idOf) as [string, string];

/** A database of the layout before, with more rows than fit into one batch. Every third activity has a second vote. */
async function openCrowded(): Promise<Opened> {
  const opened = await openOlder(5);
  const times = { created_at: NOW, updated_at: NOW };
  const stamp = { scheme: 's', user_version: 1, selection: 'VOTE_SELECTION_APPROVED', message: null };
  const all: Record<string, Record<string, unknown>[]> = { organizations: [], activities: [], votes: [], audit: [], secrets: [] };
  for (const id of ORGS) {
    const rest = { parent_id: null, name: 'name', version: 1, root_quorum: '{"threshold":1,"userIds":[]}', features: '{}' };
    all.organizations!.push({ id, ...rest, ...times });
  }
  for (let i = 0; i < COUNT; i++) {
    const organization_id = ORGS[i % 2]!;
    const activity_id = idOf(`activity ${i}`);
    const about = { type: 'ACTIVITY_TYPE_X', status: 'ACTIVITY_STATUS_COMPLETED', result: '{}', failure: '', version: 1 };
    all.activities!.push({
      ...{ organization_id, id: activity_id, fingerprint: digestOf(`activity ${i}`), ...about },
      ...{ body: Buffer.from(`body ${i}`), ...times },
    });
    for (let position = 0; position < (i % 3 === 0 ? 2 : 1); position++) {
      const who = { id: idOf(`vote ${i}/${position}`), user_id: idOf(`user ${position}`), credential_id: idOf('key') };
      const signed = { public_key: `02${'ab'.repeat(32)}`, signature: position === 0 ? '3045ff' : `MEUCIQ ${i}` };
      all.votes!.push({ organization_id, activity_id, ...who, ...signed, ...stamp, position, created_at: NOW + position });
      const actor = { actor_organization_id: organization_id, actor_user_id: who.user_id, credential_id: who.credential_id };
      const event = position === 0 ? 'activity.completed' : 'vote.approved';
      all.audit!.push({
        organization_id,
        id: idOf(`event ${i}/${position}`),
        activity_id,
        event,
        ...actor,
        created_at: NOW + position,
      });
    }
    all.secrets!.push({ organization_id, id: activity_id, purpose: 'account-key', sealed: Buffer.from(`secret ${i}`) });
  }
  for (const [table, rows] of Object.entries(all)) await insertRows(opened, table, rows);
  return opened;
}

const TABLES = ['organizations', 'activities', 'votes', 'audit', 'secrets', 'migrations'];

async function contentOf(opened: Opened): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const rows = (await opened.raw(`SELECT * FROM ${table}`)).map(({ applied_at, ...row }) => JSON.stringify(row));
    content[table] = rows.sort();
  }
  return content;
}

const SCHEMA = onSqlite
  ? `SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'`
  : `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = 'public'`;
const namesIn = async (opened: Opened) => (await opened.raw(SCHEMA)).map(({ name }) => name).sort();

async function withCrowded<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await openCrowded();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

type Ended = { code: number | null; lines: { text: string; rows?: number; done?: number; table?: string }[]; error: string };

/** Migrates in a process of its own. `dieAt`: the step before which it kills itself. */
function migrateApart({ folder, url }: Opened, more: Record<string, string> = {}): Promise<Ended> {
  const path = (name: string) => join(import.meta.dirname, name);
  const env = { ...process.env, DATA_DIR: folder, BATCH: String(BATCH.rows), ...(url ? { DATABASE_URL: url } : {}), ...more };
  const child = spawn(process.execPath, ['--import', path('../support/steps.ts'), path('older/migrate.ts')], { env });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  return new Promise((resolve) =>
    child.once('close', (code) => {
      const lines = out.split('\n').filter((line) => line.endsWith('}'));
      resolve({ code, lines: lines.map((line) => JSON.parse(line)), error });
    }),
  );
}

/** SQLite's folder belongs to one process at a time. */
const release = async (opened: Opened): Promise<void> => {
  if (onSqlite) await opened.store.close();
};

test(`batches of any size come to the same, and progress is told, on ${engineName}`, async () => {
  const whole = await withCrowded(async (opened) => {
    await opened.store.migrate(NOW);
    return { content: await contentOf(opened), names: await namesIn(opened) };
  });
  assert.deepEqual(
    ['activities', 'votes', 'audit', 'secrets'].map((table) => whole.content[table]!.length),
    [COUNT, COUNT / 3, COUNT / 3, COUNT],
  );
  await withCrowded(async (opened) => {
    const said: { text: string; table?: unknown; done?: unknown; rows?: unknown }[] = [];
    await opened.store.migrate(NOW, { say: (text, fields) => void said.push({ text, ...fields }), batch: BATCH });
    assert.deepEqual({ content: await contentOf(opened), names: await namesIn(opened) }, whole);
    const copied = said.filter(({ text }) => text === 'rows were copied');
    assert.deepEqual(
      copied.map(({ table, done, rows }) => [table, done, rows]),
      [
        ['organizations', 2, 2],
        ['secrets', COUNT, COUNT],
        ['activities', COUNT, COUNT],
        ['votes', (COUNT * 4) / 3, (COUNT * 4) / 3],
        ['audit', (COUNT * 4) / 3, (COUNT * 4) / 3],
      ],
    );
    assert.match(said[0]!.text, /new layout/);
    assert.match(said.at(-1)!.text, /a table has its new layout/);
    const odd = await opened.store.read.activities.votes(ORGS[0], idOf('activity 0'));
    assert.deepEqual(
      odd.map(({ signature }) => signature),
      ['3045ff', 'MEUCIQ 0'],
    );
  });
});

test(`a migration that is killed anywhere goes on, and comes to the same, on ${engineName}`, async () => {
  const next = seeded(Number(process.env.TEST_SEED ?? 1));
  const whole = await withCrowded(async (opened) => {
    await opened.store.migrate(NOW);
    return { content: await contentOf(opened), names: await namesIn(opened) };
  });
  const opened = await openCrowded();
  await release(opened);
  let killed = 0;
  let between = 0;
  for (;;) {
    const { code, error } = await migrateApart(opened, { DIE_AT_STEP: String(60 + next(140)) });
    if (code === 0) break;
    assert.equal(code, null, error);
    killed++;
    const [{ version, applied_at: at }] = (await plainSql(
      opened,
      'SELECT version, applied_at FROM migrations ORDER BY version DESC LIMIT 1',
    )) as [Record<string, unknown>];
    // A program of before knows versions up to 5: it refuses from here on. One that runs already finds nothing to write to.
    if (Number(version) < 10 || Number(at) !== 0) continue;
    if ((await namesIn(opened)).includes('activities')) continue;
    between++;
    await assert.rejects(plainSql(opened, 'SELECT id FROM activities'), /activities/);
  }
  assert.ok(killed > 3, `killed ${killed} times`);
  assert.ok(between > 1, `${between} times in the middle`);
  assert.deepEqual({ content: await contentOf(opened), names: await namesIn(opened) }, whole);
  const store = onSqlite ? openStore({ folder: opened.folder, poolSize: 1 }) : opened.store;
  await store.check(NOW);
  await store.close();
  await opened.drop();
});

test(`five processes that start at once migrate once, on ${engineName}`, async () => {
  const opened = await openCrowded();
  await release(opened);
  const ended = await Promise.all(Array.from({ length: 5 }, () => migrateApart(opened)));
  const count = (text: RegExp) => ended.filter(({ lines }) => lines.some((line) => text.test(line.text))).length;
  assert.equal(count(/gets a new layout/), 1);
  if (onSqlite) {
    // Those that come while one works are refused by the lock; what they asked for is done all the same.
    for (const { code, error } of ended)
      assert.ok(code === 0 || /another process already uses this data folder/.test(error), error);
    assert.ok(ended.some(({ code }) => code === 0));
  } else {
    for (const { code, error } of ended) assert.equal(code, 0, error);
    assert.ok(count(/another process changes the database/) > 0, 'the others say what they wait for');
  }
  const store = onSqlite ? openStore({ folder: opened.folder, poolSize: 1 }) : opened.store;
  await store.check(NOW);
  assert.equal((await store.read.activities.list(ORGS[0], {}, { limit: COUNT })).length, COUNT / 2);
  await store.close();
  await opened.drop();
});

test('without space nothing begins, and what had begun goes on once there is some', {
  skip: !onSqlite && 'the database server has its own disk',
}, async () => {
  const opened = await openCrowded();
  await opened.store.close();
  let free = 1000;
  const open = () => openStore({ folder: opened.folder, poolSize: 1, freeSpace: () => free });
  const before = await namesIn(opened);
  const first = open();
  await assert.rejects(
    first.migrate(NOW),
    /the migration "compact" needs up to \d+ MB of free space beside the database, and 1 MB are free: \d+ MB are missing\. Make room and start again; nothing was changed/,
  );
  assert.deepEqual(await namesIn(opened), before);
  free = 2 ** 40;
  const stopping = () => {
    throw new Error('stopped');
  };
  await assert.rejects(first.migrate(NOW, { batch: BATCH, say: (text) => text === 'rows were copied' && stopping() }), /stopped/);
  await first.close();
  free = 1000;
  const second = open();
  await assert.rejects(second.migrate(NOW), /MB are missing\. Make room and start again; what was copied is kept/);
  await assert.rejects(second.check(NOW), /not migrated/);
  free = 2 ** 40;
  await second.migrate(NOW);
  await second.check(NOW);
  await second.close();
  await opened.drop();
});

for (const [column, value, must] of [
  ['parent_id', 'no id', 'a UUID in lower case'],
  ['id', idOf('B').toUpperCase().replace('4', 'A'), 'a UUID in lower case'],
] as const)
  test(`a row that cannot be converted stops it before anything is changed: ${column} ${value}, on ${engineName}`, async () => {
    await withCrowded(async (opened) => {
      const times = { created_at: NOW, updated_at: NOW };
      const rest = { name: 'name', email: null, email_key: null, phone: null, version: 1, ...times };
      const user = { organization_id: ORGS[0], id: idOf('user'), parent_id: null, ...rest, [column]: value };
      await insertRow(opened, 'users', user);
      const before = [await namesIn(opened), await contentOf(opened)];
      await assert.rejects(opened.store.migrate(NOW), ({ message }: Error) => {
        assert.ok(message.includes(`a row of users (organization_id "${user.organization_id}", id "${user.id}")`), message);
        assert.ok(message.includes(`${column} is "${value}", and must be ${must}. Nothing was changed`), message);
        return true;
      });
      assert.deepEqual([await namesIn(opened), await contentOf(opened)], before);
      await plainSql(opened, 'DELETE FROM users');
      await opened.store.migrate(NOW);
    });
  });

test('what was erased is not in the file after the tables were replaced', {
  skip: !onSqlite && 'PostgreSQL overwrites in its own time',
}, async () => {
  const opened = await openCrowded();
  await opened.store.migrate(NOW, { batch: BATCH });
  await opened.store.transaction((tx) => tx.signers.destroy(ORGS[0], idOf('activity 0')));
  await opened.store.close();
  const file = readFileSync(join(opened.folder, 'countersign.db'));
  assert.ok(!file.includes('secret 0'), 'not in a page of the old table either');
  assert.ok(file.includes('secret 2'));
  await opened.drop();
});
