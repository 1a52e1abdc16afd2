import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from '../support/cli.ts';
import { freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const run = async (env: Record<string, string>, ...args: string[]) => {
  const { code, out, err } = await cli(args, { env });
  return { code, text: out + err };
};

async function withFolder(use: (dataDir: string, shared: Record<string, string>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-start-'));
  const database = await freshDatabase();
  try {
    await use(join(folder, 'data'), database ? { DATABASE_URL: database.url } : {});
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a port that is taken is said so, and nothing is made', () =>
  withFolder(async (dataDir, shared) => {
    const first = await startProcess({ DATA_DIR: dataDir, ...shared });
    await first.ready();
    const other = `${dataDir}-other`;
    const second = await startProcess({ DATA_DIR: other, PORT: new URL(first.url).port });
    assert.equal(await second.exited, 1);
    assert.match(second.output(), /PORT \d+ is in use on HOST localhost/);
    assert.ok(!existsSync(other));
    const unreadable = await fetch(`${first.url}/public/%zz`, { method: 'POST' });
    assert.deepEqual([unreadable.status, ((await unreadable.json()) as { code: number }).code], [400, 3]);
    const large = await fetch(first.url, { headers: { long: 'x'.repeat(20_000) } });
    assert.deepEqual([large.status, ((await large.json()) as { code: number }).code], [431, 3]);
    assert.equal((await fetch(`${first.url}/health`, { method: 'HEAD' })).status, 200);
    // The current setting overrides the one that the file keeps from the first start.
    const asked = await run({ DATA_DIR: dataDir, BASE_URL: 'http://127.0.0.1:1' }, 'query', 'whoami');
    assert.equal(asked.code, 2);
    assert.match(asked.text, /no answer from http:\/\/127\.0\.0\.1:1:/);
    const slash = await run({ DATA_DIR: dataDir }, 'query', 'whoami', '--url', `${first.url}/`);
    assert.equal(slash.code, 0, slash.text);
    assert.match((await run({ DATA_DIR: dataDir }, 'query', 'whoami', '{"a":1,"a":2}')).text, /JSON object.*"a"/);
    first.child.kill('SIGTERM');
    assert.equal(await first.exited, 0);
  }));

test('a connection that asks for nothing does not hold up the end', () =>
  withFolder(async (dataDir, shared) => {
    const service = await startProcess({ DATA_DIR: dataDir, ...shared });
    await service.ready();
    const { port } = new URL(service.url);
    const sockets = ['', 'POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nContent-'].map((text) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      return socket.on('error', () => {});
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }));

test('settings that are wrong are named, and secrets are not shown', async () => {
  const shown = await run({ DATABASE_URL: 'postgres://user:hidden1@host/name?password=hidden2&sslmode=require' }, 'config');
  assert.equal(shown.code, 0, shown.text);
  assert.match(shown.text, /postgres:\/\/user:\*\*\*@host\/name\?password=\*\*\*&sslmode=require/);
  for (const [env, text] of [
    [{ DATABASE_URL: 'postgres://user:se/cret@host:99999/name' }, /^DATABASE_URL is not a valid URL: special characters/],
    [{ BASE_URL: 'example.com' }, /^BASE_URL must be a URL that starts with http/],
    [{ ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'short' }, /^ROOT_PASSPHRASE must have at least 12 characters/],
  ] as const) {
    const { code, text: said } = await run(env, 'config');
    assert.equal(code, 2);
    assert.match(said, text);
    assert.ok(!said.includes('cret'), said);
  }
});

test('a database that does not answer is said so, without its password', () =>
  withFolder(async (dataDir) => {
    const url = 'postgres://user:hidden@127.0.0.1:1/name';
    const away = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: url });
    assert.equal(await away.exited, 1);
    assert.match(away.output(), /PostgreSQL does not answer: .*ECONNREFUSED.*Check DATABASE_URL/);
    assert.ok(!away.output().includes('hidden'), away.output());
  }));

test('a DATA_DIR that is a file and a ROOT_KEY_PATH that is a folder are named', () =>
  withFolder(async (dataDir, shared) => {
    mkdirSync(dataDir);
    const file = join(dataDir, 'file');
    writeFileSync(file, 'kept');
    const said = async (env: Record<string, string>) => {
      const service = await startProcess({ DATA_DIR: dataDir, ...shared, ...env });
      assert.equal(await service.exited, 1);
      return service.output();
    };
    assert.match(await said({ DATA_DIR: file }), /^configuration: DATA_DIR: .*file is a file, and must be a folder$/m);
    assert.match(
      await said({ ROOT_KEY_PATH: '.' }),
      /^could not start: the root key file .* is a folder.*: check ROOT_KEY_PATH$/m,
    );
    if (process.platform === 'linux')
      assert.match(
        await said({ DATA_DIR: '/proc/x' }),
        /^configuration: DATA_DIR: \/proc\/x cannot be created: \/proc accepts no folders/m,
      );
    assert.equal(readFileSync(file, 'utf8'), 'kept');
  }));

test('a mistyped setting is warned of once, by the service in its log and by the command line', () =>
  withFolder(async (dataDir, shared) => {
    const env = { DATA_DIR: dataDir, LIMIT_USER: 'not to be shown' };
    const sentence = 'LIMIT_USER is set, but is not a setting: did you mean LIMIT_USERS?';
    const service = await startProcess({ ...env, ...shared });
    await service.ready();
    const asked = await run(env, 'query', 'whoami');
    assert.equal(asked.code, 0, asked.text);
    service.child.kill('SIGTERM');
    await service.exited;
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('LIMIT_USER'));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg]),
      [['warn', sentence]],
    );
    assert.ok(asked.text.includes(`warning: ${sentence}\n`), asked.text);
    assert.ok(!(service.output() + asked.text).includes('shown'));
  }));

test('an empty database beside the key file of another is told of', () =>
  withFolder(async (dataDir, shared) => {
    const started = async (more: Record<string, string>) => {
      const service = await startProcess({ DATA_DIR: dataDir, ...more });
      await service.ready();
      service.child.kill('SIGTERM');
      assert.equal(await service.exited, 0, service.output());
      return service.output();
    };
    const told = /the database was empty, and its root organization was created with the existing key file/;
    assert.doesNotMatch(await started(shared), told);
    assert.doesNotMatch(await started(shared), told);
    const empty = `${dataDir}-empty`;
    mkdirSync(empty);
    for (const name of ['root.key', 'root-credentials.json']) copyFileSync(join(dataDir, name), join(empty, name));
    assert.match(await started({ DATA_DIR: empty }), told);
  }));
