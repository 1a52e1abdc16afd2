import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-rotate-root-'));
const database = await freshDatabase();
const base = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
const PASSPHRASE = 'a passphrase that is long';
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const rows = (sql: string) => plainSql({ folder: dataDir, url: database?.url }, sql);
const wrapped = async () => (await rows('SELECT version, root_id, wrapped FROM master_keys ORDER BY version')) as object[];

async function custody(args: string[], env: Record<string, string>, code = 0): Promise<string> {
  const ran = await cli(['custody', ...args], { env: { ...base, ...env } });
  assert.equal(ran.code, code, ran.err + ran.out);
  return ran.out + ran.err;
}

const payload = { payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };

/** Signs until it is told to stop. Throws for a signature that fails. */
function signing(service: ServiceProcess, signWith: string): () => Promise<number> {
  let stopped = false;
  let signed = 0;
  const client = service.root();
  const run = async () => {
    for (; !stopped; signed++)
      resultOf(await client.submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...payload }), 'signRawPayloadResult');
  };
  const running = Promise.all(Array.from({ length: 4 }, run));
  running.catch(() => {});
  return async () => {
    stopped = true;
    await running;
    return signed;
  };
}

async function startFails(env: Record<string, string>): Promise<string> {
  const service = await startProcess({ ...base, ...env });
  assert.equal(await service.exited, 1);
  return service.output();
}

async function stop(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
}

let address: string;

test('a rotation to a passphrase while clients sign: nothing fails, and the old root key opens nothing', async () => {
  const service = await startProcess(base);
  await service.ready();
  const wallet = await service.root().submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  [address] = resultOf(wallet, 'createWalletResult').addresses;
  if (engineName === 'sqlite') assert.equal(statSync(join(dataDir, 'control.sock')).mode & 0o777, 0o600);
  const before = await wrapped();
  const next = { NEW_ROOT_PASSPHRASE: PASSPHRASE };
  const end = signing(service, address);
  assert.match(
    await custody(['rotate-root', '--to', 'passphrase', '--dry-run'], next),
    /1 master key would be wrapped.*Nothing was changed/s,
  );
  assert.deepEqual(await wrapped(), before);
  const said = await custody(['rotate-root', '--to', 'passphrase', '--json'], next);
  assert.deepEqual(JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)), {
    from: (before[0] as { root_id: string }).root_id,
    to: 'passphrase:scrypt-17-8-1',
    versions: [1],
    changed: true,
  });
  assert.match(await custody(['rotate-root', '--to', 'passphrase'], next), /already wrapped.*Nothing was changed/s);
  assert.ok((await end()) > 0);
  assert.ok(!service.output().includes(PASSPHRASE));
  // PostgreSQL: the processes first need the new settings. On SQLite the service itself has the new root key.
  const rotated = await custody(
    ['rotate-master'],
    { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: PASSPHRASE },
    engineName === 'sqlite' ? 0 : 1,
  );
  assert.match(rotated, engineName === 'sqlite' ? /Master key 2 seals now/ : /a running process cannot use the new master key/);
  await stop(service);

  const here = await wrapped();
  assert.match(
    await startFails({}),
    /was sealed with ROOT_KEY_PROVIDER=passphrase.*set ROOT_KEY_PROVIDER=passphrase, and ROOT_PASSPHRASE/,
  );
  const wrong = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'another long passphrase' };
  assert.match(await startFails(wrong), /ROOT_PASSPHRASE does not open the master key/);
  assert.deepEqual(await wrapped(), here);
});

test('a rotation back to a file makes a key file, refuses one that exists, and status names what is there', async () => {
  const now = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: PASSPHRASE };
  assert.match(await custody(['rotate-root', '--to', 'file'], now, 1), /root\.key already exists.*--force.*NEW_ROOT_KEY_PATH/s);
  const path = join(dataDir, 'next.key');
  assert.match(
    await custody(['rotate-root', '--to', 'file', '--dry-run'], { ...now, NEW_ROOT_KEY_PATH: path }),
    /would be wrapped by file: a new key/,
  );
  await custody(['rotate-root', '--to', 'file'], { ...now, NEW_ROOT_KEY_PATH: path });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const digest = createHash('sha256')
    .update('countersign/root-id/1')
    .update(Buffer.from(readFileSync(path, 'utf8').trim(), 'hex'));
  const status = JSON.parse(await custody(['status', '--json'], {}));
  assert.equal(status.rootKey, `file:${digest.digest('hex').slice(0, 16)}`);
  assert.deepEqual(status.masterKeys.map(({ state }: { state: string }) => state).sort(), ['live', 'retired']);
  assert.equal(status.unfinished, false);

  const service = await startProcess({ ...base, ROOT_KEY_PATH: path });
  await service.ready();
  assert.ok((await signing(service, address)()) > 0);
  await stop(service);
});

test('an interrupted rotation left its key file: --force uses it, and a second run finds the work done', async () => {
  const path = join(dataDir, 'left.key');
  writeFileSync(path, `${'5a'.repeat(32)}\n`, { mode: 0o600 });
  const env = { ROOT_KEY_PATH: join(dataDir, 'next.key'), NEW_ROOT_KEY_PATH: path };
  await custody(['rotate-root'], env, 1);
  assert.match(await custody(['rotate-root', '--force'], env), /1 master key wrapped by file:/);
  assert.match(await custody(['rotate-root'], env), /already wrapped/);
});

test('the environment holds a root key, which leaves it', async () => {
  const now = { ROOT_KEY_PATH: join(dataDir, 'left.key') };
  await custody(['rotate-root', '--to', 'env'], { ...now, NEW_ROOT_KEY: '77'.repeat(32) });
  const service = await startProcess({ ...base, ROOT_KEY_PROVIDER: 'env', ROOT_KEY: '77'.repeat(32) });
  await service.ready();
  assert.ok((await signing(service, address)()) > 0);
  await stop(service);
  assert.match(
    await startFails({ ROOT_KEY_PROVIDER: 'env', ROOT_KEY: '78'.repeat(32) }),
    /sealed with root key "env:.*but this process has "env:/,
  );
});
