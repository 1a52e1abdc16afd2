/** Each failure that an operator can mend says how. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { cli } from '../support/cli.ts';
import { freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-hints-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a start says, which runs until it is ready or fails. */
async function saidBy(env: Record<string, string>): Promise<string> {
  const service = await startProcess(env);
  await service.ready().catch(() => {});
  service.child.kill('SIGTERM');
  await service.exited;
  return service.output();
}

/** What a command says that opens the database itself. */
const toldBy = async (env: Record<string, string>) => (await cli(['outbox', 'list'], { env })).err;

test('a database of SQLite that is damaged is told to be restored', async (t) => {
  const DATA_DIR = join(folderOf(t), 'data');
  await saidBy({ DATA_DIR });
  const wanted = /: the database is damaged\. Restore it from your backup: see docs\/operating\/backup\.md/;
  const file = openSync(join(DATA_DIR, 'countersign.db'), 'r+');
  for (let page = 1; page < 8; page++) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
  for (const name of readdirSync(DATA_DIR)) if (/-(?:wal|shm)$/.test(name)) rmSync(join(DATA_DIR, name));
  assert.match(await saidBy({ DATA_DIR }), wanted);
  writeFileSync(join(DATA_DIR, 'countersign.db'), 'none of SQLite, and longer than its header'.repeat(100));
  assert.match(await saidBy({ DATA_DIR }), wanted);
  assert.match(await toldBy({ DATA_DIR }), wanted);
});

test('a server that accepts connections and never answers ends the start in a sentence', async (t) => {
  const silent = createServer((socket) => void socket.resume().on('error', () => {}));
  await new Promise<void>((listens) => silent.listen(0, '127.0.0.1', listens));
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const env = { DATA_DIR: join(folderOf(t), 'data'), DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x` };
  const said = await saidBy(env);
  assert.match(said, /^could not start: PostgreSQL does not answer: .*Check DATABASE_URL\.$/m);
  assert.doesNotMatch(said, /TypeError/);
});

test('the lock of another program, and a server that takes no writes, are told with what to do', async (t) => {
  const database = await freshDatabase();
  if (database === undefined) {
    const DATA_DIR = join(folderOf(t), 'data');
    await saidBy({ DATA_DIR });
    const other = new Database(join(DATA_DIR, 'countersign.db'));
    other.exec('BEGIN IMMEDIATE');
    t.after(() => other.close());
    assert.match(
      await saidBy({ DATA_DIR }),
      /^could not start: another program holds the lock.*: end that program, or its transaction$/m,
    );
    return;
  }
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const { pathname } = new URL(database.url);
  await owner.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
  await owner.end();
  t.after(() => database.drop());
  const said = await saidBy({ DATA_DIR: join(folderOf(t), 'data'), DATABASE_URL: database.url });
  assert.match(
    said,
    /^could not start: PostgreSQL says: the database accepts no writes now \(25006\): name a server that accepts writes in DATABASE_URL$/m,
  );
});

test('a refusal of PostgreSQL says what its operator does', async (t) => {
  const database = await freshDatabase();
  if (database === undefined) return t.skip('on PostgreSQL alone');
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const role = `r_${process.pid}_${Date.now()}`;
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  t.after(async () => {
    await owner.query(`DROP ROLE ${role}`);
    await owner.end();
    await database.drop();
  });
  const with_ = (changes: Partial<URL>) => Object.assign(new URL(database.url), changes).toString();
  for (const [url, hint] of [
    [with_({ username: 'nobody' }), /role "nobody" does not exist: check the user and the password in DATABASE_URL/],
    [with_({ pathname: '/nowhere' }), /database "nowhere" does not exist: create it, or check the name in DATABASE_URL/],
  ] as const) {
    const env = { DATA_DIR: join(folderOf(t), 'data'), DATABASE_URL: url };
    assert.match(await saidBy(env), hint);
    assert.match(await toldBy(env), hint);
  }
  const env = { DATA_DIR: join(folderOf(t), 'data'), DATABASE_URL: with_({ username: role, password: 'x' }) };
  assert.match(await saidBy(env), /permission denied for schema public: make the user of DATABASE_URL the owner .*GRANT CREATE/);
  assert.match(await toldBy(env), /start the service once, which creates the tables/);
});

const modes = process.platform === 'win32' ? { skip: 'Windows has no modes' } : {};

test('a root key that others may read is warned of, and one that its group may read is not', modes, async (t) => {
  const DATA_DIR = join(folderOf(t), 'data');
  const database = await freshDatabase();
  if (database) t.after(database.drop);
  const env = { DATA_DIR, ...(database ? { DATABASE_URL: database.url } : {}) };
  const told = /"level":"warn".*every user of this machine can read the root key file \S+\/root\.key, .*: chmod 600 it/;
  assert.doesNotMatch(await saidBy(env), told);
  chmodSync(join(DATA_DIR, 'root.key'), 0o644);
  assert.match(await saidBy(env), told);
  chmodSync(join(DATA_DIR, 'root.key'), 0o640);
  assert.doesNotMatch(await saidBy(env), told);
});

const shell = process.platform === 'win32' ? { skip: 'Windows has no sh' } : {};

test('./countersign gives Node.js a file with an extension, since an old one refuses others with a stack', shell, (t) => {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/node'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const { stdout } = spawnSync(join(ROOT, 'countersign'), ['query', 'a b'], {
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    encoding: 'utf8',
  });
  assert.equal(stdout, `${join(ROOT, 'scripts/countersign.mjs')} query a b\n`);
});
