import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, freshMigrated } from '../support/database.ts';
import { amount, isFull } from '../support/full.ts';
import { startProcess } from '../support/process.ts';

/** What no database changes is tried on SQLite alone, unless all is. */
const anywhere = { skip: engineName === 'postgres' && !isFull && 'tried on SQLite; --full tries it here too' };

const folder = () => mkdtempSync(join(tmpdir(), 'countersign-processes-'));

const PROCESSES = amount(3, 5);

test(`${PROCESSES} processes started at once on one empty PostgreSQL database all come up, with one root organization`, {
  skip: engineName === 'sqlite' && 'needs PostgreSQL',
}, async () => {
  const dataDir = folder();
  const database = (await freshDatabase())!;
  const services = await Promise.all(
    Array.from({ length: PROCESSES }, () => startProcess({ DATA_DIR: dataDir, DATABASE_URL: database.url })),
  );
  try {
    await Promise.all(services.map((service) => service.ready()));
    const identities = await Promise.all(
      services.map(async (service) => (await service.root().query('whoami')).body.organizationId),
    );
    assert.equal(new Set(identities).size, 1);
    assert.match(identities[0], /^[0-9a-f-]{36}$/);

    const [first, second] = services.map((service) => service.root());
    const wallet = resultOf(
      await first!.submit('CREATE_WALLET', { walletName: 'Shared', accounts: [ethereumAccount()] }),
      'createWalletResult',
    );
    const parameters = {
      signWith: wallet.addresses[0],
      payload: '00',
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_SHA256',
    };
    const body = first!.bodyOf('SIGN_RAW_PAYLOAD_V2', parameters);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => services[i % PROCESSES]!.root().send('/public/v1/submit/sign_raw_payload', body)),
    );
    assert.equal(
      new Set(answers.map((a) => a.body.activity.id)).size,
      1,
      'twenty identical bodies over all processes give one activity',
    );
    const made = first!.bodyOf('CREATE_WALLET', { walletName: 'Raced', accounts: [ethereumAccount()] });
    const raced = await Promise.all(
      Array.from({ length: 20 }, (_, i) => services[i % PROCESSES]!.root().send('/public/v1/submit/create_wallet', made)),
    );
    assert.deepEqual([...new Set(raced.map((a) => a.status))], [200]);
    assert.equal(new Set(raced.map((a) => a.body.activity.result.createWalletResult.walletId)).size, 1);
    assert.equal((await second!.query('list_wallets')).body.wallets.length, 2);
  } finally {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) assert.equal(await service.exited, 0, service.output());
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test(
  'the credentials and the root key are files that only their owner reads, and the private key is never printed',
  anywhere,
  async () => {
    const dataDir = folder();
    const database = await freshDatabase();
    const service = await startProcess({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
    await service.ready();
    const credentials = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
    assert.deepEqual(Object.keys(credentials), ['baseUrl', 'organizationId', 'userId', 'apiPublicKey', 'apiPrivateKey']);
    assert.equal(credentials.baseUrl, service.url.replace('127.0.0.1', 'localhost'));
    for (const name of ['root-credentials.json', 'root.key'])
      assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
    await service.shows(new RegExp(credentials.organizationId));
    assert.ok(!service.output().includes(credentials.apiPrivateKey));
    assert.ok(!service.output().includes(readFileSync(join(dataDir, 'root.key'), 'utf8').trim()));
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  },
);

test('a second process on the same SQLite folder refuses to start and names the lock', {
  skip: engineName === 'postgres' && 'about SQLite',
}, async () => {
  const dataDir = folder();
  await freshMigrated(dataDir);
  const first = await startProcess({ DATA_DIR: dataDir });
  await first.ready();
  const second = await startProcess({ DATA_DIR: dataDir });
  assert.equal(await second.exited, 1);
  assert.match(second.output(), /countersign\.lock/);
  assert.equal((await first.root().query('whoami')).status, 200);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0);
  rmSync(dataDir, { recursive: true, force: true });
});

test('readiness says why the service cannot take work, and another root key is refused at start', anywhere, async () => {
  const dataDir = folder();
  const database = await freshMigrated(dataDir);
  const shared: Record<string, string> = database ? { DATABASE_URL: database.url } : {};
  const first = await startProcess({ DATA_DIR: dataDir, ...shared, CONSOLE: 'off' });
  await first.ready();
  const health = await fetch(`${first.url}/health`);
  assert.equal(health.status, 200);
  const page = await (await fetch(`${first.url}/metrics`)).text();
  assert.match(page, /countersign_http_request_seconds/);
  const document = (await (await fetch(`${first.url}/openapi.json`)).json()) as { paths: object };
  assert.ok('/public/v1/submit/sign_raw_payload' in document.paths);
  const start = await (await fetch(first.url)).text();
  for (const path of ['/docs', '/openapi.json', '/metrics']) assert.ok(start.includes(`href="${path}"`), path);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0);
  const missing = await startProcess({ DATA_DIR: dataDir, ...shared, ROOT_KEY_PATH: 'other.key' });
  assert.equal(await missing.exited, 1);
  assert.match(missing.output(), /other\.key is missing/);
  writeFileSync(join(dataDir, 'other.key'), 'ab'.repeat(32));
  const other = await startProcess({ DATA_DIR: dataDir, ...shared, ROOT_KEY_PATH: 'other.key' });
  assert.equal(await other.exited, 1);
  assert.match(other.output(), /was sealed with root key "file:[0-9a-f]{16}", but this process has "file:[0-9a-f]{16}"/);
  const passphrase = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'correct horse battery staple' };
  const byPassphrase = await startProcess({ DATA_DIR: dataDir, ...shared, ...passphrase });
  assert.equal(await byPassphrase.exited, 1);
  assert.match(byPassphrase.output(), /was sealed with ROOT_KEY_PROVIDER=file.*: set .* ROOT_KEY_PATH/);
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('readiness is refused with the reason while the database is away, and the process stays alive', {
  skip: engineName === 'sqlite' && 'needs PostgreSQL',
}, async () => {
  const dataDir = folder();
  const database = (await freshMigrated(dataDir))!;
  const service = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: database.url });
  await service.ready();
  await database.drop();
  const ready = await fetch(`${service.url}/ready`);
  assert.equal(ready.status, 503);
  const { status, reason } = (await ready.json()) as { status: string; reason: string };
  assert.equal(status, 'not ready');
  assert.match(reason, /database|terminat/);
  assert.equal((await fetch(`${service.url}/health`)).status, 200);
  const refused = await service.root().query('whoami');
  assert.equal(refused.status, 500);
  assert.match(refused.body.message, /^internal server error \([0-9a-f-]{36}\)$/);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  rmSync(dataDir, { recursive: true, force: true });
});

test('with a passphrase no key file is written, and another passphrase does not start', anywhere, async () => {
  const dataDir = folder();
  const database = await freshMigrated(dataDir);
  const shared = { DATA_DIR: dataDir, ROOT_KEY_PROVIDER: 'passphrase', ...(database ? { DATABASE_URL: database.url } : {}) };
  const start = async (passphrase: string) => {
    writeFileSync(join(dataDir, 'passphrase'), `${passphrase}\n`, { mode: 0o600 });
    return startProcess({ ...shared, ROOT_PASSPHRASE_FILE: join(dataDir, 'passphrase') });
  };
  const first = await start('correct horse battery staple');
  await first.ready();
  assert.equal((await first.root().submit('CREATE_WALLET', { walletName: 'w', accounts: [ethereumAccount()] })).status, 200);
  assert.equal(existsSync(join(dataDir, 'root.key')), false);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0);
  const wrong = await start('another passphrase than that');
  assert.equal(await wrong.exited, 1);
  assert.match(wrong.output(), /ROOT_PASSPHRASE does not open the master key/);
  const { ROOT_KEY_PROVIDER: _, ...forgotten } = shared;
  const byFile = await startProcess(forgotten);
  assert.equal(await byFile.exited, 1);
  assert.match(byFile.output(), /was sealed with ROOT_KEY_PROVIDER=passphrase.*: set .* ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE/);
  assert.equal(existsSync(join(dataDir, 'root.key')), false);
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a damaged credentials file is named and not quoted', anywhere, async () => {
  const dataDir = folder();
  const database = await freshDatabase();
  const secret = 'ab'.repeat(32);
  writeFileSync(join(dataDir, 'root-credentials.json'), `{"apiPrivateKey":"${secret}`);
  const service = await startProcess({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) });
  assert.equal(await service.exited, 1);
  assert.match(service.output(), /root-credentials\.json is not valid JSON/);
  assert.ok(!service.output().includes(secret.slice(0, 8)), service.output());
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('after SIGTERM the process answers pending requests and exits with 0', async () => {
  const dataDir = folder();
  const database = await freshMigrated(dataDir);
  const service = await startProcess({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) });
  await service.ready();
  const client = service.root();
  const requests = Array.from({ length: 12 }, (_, i) =>
    client.submit('CREATE_WALLET', { walletName: `w${i}`, accounts: [ethereumAccount()] }).catch(() => undefined),
  );
  // The first answer shows that the service has begun to work; the other requests may be at any stage.
  await Promise.race(requests);
  service.child.kill('SIGTERM');
  const answers = (await Promise.all(requests)).filter((answer) => answer !== undefined);
  assert.equal(await service.exited, 0, service.output());
  for (const answer of answers) assert.ok(answer.status === 200 || answer.status === 503, answer.text);
  assert.ok(answers.some((answer) => answer.status === 200));
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});
