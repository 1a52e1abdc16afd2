import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from '../support/cli.ts';
import { clientOf, newKeys } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

async function withFolder(use: (folder: string, env: Record<string, string>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-own-'));
  const database = await freshDatabase();
  try {
    await use(folder, { DATA_DIR: join(folder, 'data'), ...(database ? { DATABASE_URL: database.url } : {}) });
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function running(env: Record<string, string>, use: (service: ServiceProcess) => Promise<void>): Promise<string> {
  const service = await startProcess({ LOG_LEVEL: 'info', ...env });
  try {
    await service.ready();
    await use(service);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }
  return service.output();
}

const organizationIn = (output: string): string => /^ {2}organization {2}(\S+)$/m.exec(output)![1]!;

async function countersign(cwd: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await cli(args, { cwd });
  assert.equal(code, 0, err);
  return out;
}

for (const curve of ['p256', 'secp256k1', 'ed25519'])
  test(`the first start takes the operator's own key on ${curve}, and then makes none, on ${engineName}`, () =>
    withFolder(async (folder, env) => {
      const publicKey = (await countersign(folder, 'keygen', 'root', '--curve', curve)).trim();
      const ROOT_USER_PUBLIC_KEY = curve === 'p256' ? publicKey : `${curve}:${publicKey.toUpperCase()}`;
      const output = await running({ ...env, ROOT_USER_PUBLIC_KEY }, async (service) => {
        const [, line] = await service.shows(/^ +\.\/(countersign .*)\n/m);
        const id = organizationIn(service.output());
        const hint = line!.replace('NAME', 'root').split(' ').slice(1);
        assert.ok(hint.includes(id));
        const said = JSON.parse(await countersign(folder, ...hint));
        assert.deepEqual([said.organizationId, said.username], [id, 'Root user']);
        const made = await countersign(
          folder,
          ...hint.slice(0, -2),
          'submit',
          'create_wallet',
          '{"walletName":"W","accounts":[]}',
        );
        assert.equal(JSON.parse(made).activity.status, 'ACTIVITY_STATUS_COMPLETED');
      });
      assert.doesNotMatch(output, /root-credentials|apiPrivateKey|"level":"(warn|error)".*ROOT_USER/);
      assert.ok(!existsSync(join(env.DATA_DIR!, 'root-credentials.json')));
      const { apiPrivateKey } = JSON.parse(readFileSync(join(folder, 'root.credentials.json'), 'utf8'));
      for (const name of readdirSync(env.DATA_DIR!)) {
        const content = readFileSync(join(env.DATA_DIR!, name));
        assert.ok(!content.includes(apiPrivateKey) && !content.includes(Buffer.from(apiPrivateKey, 'hex')), name);
      }
    }));

test('on a later start it changes nothing: it may stay set, and another key is warned of', () =>
  withFolder(async (_, env) => {
    const [mine, other] = [newKeys(), newKeys()];
    const first = await running({ ...env, ROOT_USER_PUBLIC_KEY: mine.publicKey }, async () => {});
    const organizationId = organizationIn(first);
    assert.doesNotMatch(first, /has no effect/);
    const whoami = async ({ url }: ServiceProcess, keys = mine) =>
      (await clientOf(url, keys, organizationId).query('whoami')).status;
    const same = await running({ ...env, ROOT_USER_PUBLIC_KEY: mine.publicKey }, async (service) => {
      assert.equal(await whoami(service), 200);
    });
    assert.doesNotMatch(same, /has no effect|Try a first request/);
    const changed = await running({ ...env, ROOT_USER_PUBLIC_KEY: other.publicKey }, async (service) => {
      assert.deepEqual([await whoami(service), await whoami(service, other)], [200, 401]);
    });
    assert.match(changed, /ROOT_USER_PUBLIC_KEY has no effect: the root organization already exists and does not have this key/);
    const unset = await running(env, async (service) => assert.equal(await whoami(service), 200));
    assert.equal(organizationIn(unset), organizationId);
    assert.ok(!existsSync(join(env.DATA_DIR!, 'root-credentials.json')), 'nor does a start without it');
  }));

test('a key file of another database is left alone, and said to be of no use', () =>
  withFolder(async (_, env) => {
    mkdirSync(env.DATA_DIR!, { mode: 0o700 });
    const file = join(env.DATA_DIR!, 'root-credentials.json');
    const keys = newKeys();
    const other = {
      baseUrl: 'http://localhost:1',
      organizationId: 'x',
      userId: 'y',
      apiPublicKey: keys.publicKey,
      apiPrivateKey: keys.privateKey,
    };
    writeFileSync(file, JSON.stringify(other));
    const output = await running({ ...env, ROOT_USER_PUBLIC_KEY: newKeys().publicKey }, async () => {});
    assert.match(output, /not that of the existing key file/);
    assert.doesNotMatch(output, /key file {6}/);
    assert.ok(!output.includes(keys.privateKey));
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), other);
  }));

test('a key that is none stops the start, and nothing is made', () =>
  withFolder(async (_, env) => {
    for (const ROOT_USER_PUBLIC_KEY of [
      'x',
      `02${'ff'.repeat(32)}`,
      newKeys().privateKey,
      `p384:${newKeys().publicKey}`,
      'ed25519:',
    ]) {
      const service = await startProcess({ ...env, ROOT_USER_PUBLIC_KEY });
      assert.equal(await service.exited, 1);
      assert.match(service.output(), /^configuration: ROOT_USER_PUBLIC_KEY must be a P-256 public key in hex/);
      assert.doesNotMatch(service.output(), /[0-9a-f]{64}/, 'it may be a private key');
      assert.ok(!existsSync(env.DATA_DIR!));
    }
  }));

/** What a start has left, beside the empty database and its lock: tables, and files. */
async function leftBy({ DATA_DIR = '', DATABASE_URL: url }: Record<string, string>): Promise<unknown[]> {
  const files = readdirSync(DATA_DIR).filter((name) => name !== 'countersign.db' && name !== 'countersign.lock');
  const from = url === undefined ? 'name FROM sqlite_master' : "tablename AS name FROM pg_tables WHERE schemaname = 'public'";
  return [...files, ...(await plainSql({ folder: DATA_DIR, url }, `SELECT ${from}`))];
}

test(`a first start that does not reach its root key changes nothing, on ${engineName}`, () =>
  withFolder(async (folder, env) => {
    const token = join(folder, 'token');
    writeFileSync(token, 'a-token', { mode: 0o600 });
    const vault = { ROOT_KEY_URL: 'http://127.0.0.1:1', ROOT_KEY_NAME: 'key', ROOT_KEY_TOKEN_PATH: token };
    const service = await startProcess({ ...env, ROOT_KEY_PROVIDER: 'vault-transit', ...vault });
    assert.equal(await service.exited, 1);
    assert.match(service.output(), /vault-transit/);
    assert.deepEqual(await leftBy(env), []);
    await running({ ...env, ROOT_KEY_PROVIDER: 'env', ROOT_KEY: 'ab'.repeat(32) }, async () => {});
  }));
