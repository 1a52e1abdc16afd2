import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/operator/doctor/finding.ts';
import { startAnvil } from '../support/anvil.ts';
import { cli } from '../support/cli.ts';
import { newKeys, resultOf } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

let folder: string;
let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
  dataDir = join(folder, 'data');
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The tests' PostgreSQL is set so, because it is faster. */
const NOT_DURABLE = 'problem database: PostgreSQL’s fsync is off: a power loss can undo acknowledged activities';

async function examined(more: Record<string, string> = {}) {
  const { code, out, err } = await cli(['doctor', '--json'], { env: { ...env, ...more } });
  assert.equal(err, '');
  const { level, findings } = JSON.parse(out) as { level: string; findings: Finding[] };
  const bad = findings.filter((one) => one.level !== 'ok');
  for (const { text, mend } of bad) assert.ok(text.length > 0 && mend!.length > 0);
  const wrong = bad.map(({ check, level, text }) => `${level} ${check}: ${text}`);
  const expected = bad.some((one) => one.level === 'problem') ? [1, 'problem'] : bad.length > 0 ? [3, 'warning'] : [0, 'ok'];
  assert.deepEqual([code, level], expected);
  return { wrong: wrong.filter((one) => one !== NOT_DURABLE), findings, isDurable: !wrong.includes(NOT_DURABLE) };
}

let service: ServiceProcess;

test('an instance that never started is no failure', async () => {
  const { wrong } = await examined();
  assert.match(wrong.join('\n'), /database: .*(has no database|is empty)/);
  assert.equal(existsSync(dataDir), false, 'the doctor makes nothing');
});

test('all is well beside a running service, and after its stop', async () => {
  service = await startProcess(env);
  await service.ready();
  const beside = await examined();
  assert.deepEqual([beside.wrong, beside.isDurable], [[], engineName === 'sqlite']);
  const checks = new Set(beside.findings.map(({ check }) => check));
  for (const check of [
    'runtime',
    'disk',
    'files',
    'database',
    'root key',
    'clock',
    'backup',
    'messages',
    'sends',
    'users',
    'chains',
    'mail',
  ])
    assert.ok(checks.has(check), check);
  const text = await cli(['doctor'], { env });
  assert.match(text.out, /^ok {7}root key {2}the root key \(file\) opens the database$/m);
});

test('a copy that is three days old is a warning, and the metric has its age', async () => {
  const file = join(dataDir, 'last-backup');
  writeFileSync(file, `${Date.now() - 3 * 86_400_000}\n`);
  assert.deepEqual((await examined()).wrong, ['warning backup: the last copy is 3 days old']);
  const page = await (await fetch(`${service.url}/metrics`)).text();
  const age = Number(/^countersign_backup_age_seconds (\S+)$/m.exec(page)![1]);
  assert.ok(age >= 3 * 86_400 && age < 4 * 86_400, `${age}`);
  rmSync(file);
});

test('a key whose IP list is not in force is named', async () => {
  const root = service.root();
  const { publicKey } = newKeys();
  const apiKeys = [{ apiKeyName: 'ci', publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const { userId } = (await root.query('whoami')).body;
  const { apiKeyIds } = resultOf(await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
  const list = { publicKey, rules: [{ cidr: '192.0.2.0/24' }] };
  resultOf(await root.submit('SET_IP_ALLOWLIST', list), 'setIpAllowlistResult');
  service.child.kill('SIGTERM');
  await service.exited;
  const { wrong } = await examined();
  assert.equal(wrong.length, 1, wrong.join('\n'));
  assert.match(
    wrong[0]!,
    new RegExp(`^warning users: the IP list of key ${apiKeyIds[0]} .* is not in force: the organization has no`),
  );
});

test('a wrong root key, files that others can read, and servers that do not answer are problems', async () => {
  chmodSync(dataDir, 0o755);
  const keyFile = join(dataDir, 'root.key');
  chmodSync(keyFile, 0o644);
  const silent = createServer((socket) => void socket.end('554 go away\r\n'));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const { port } = silent.address() as { port: number };
  const servers = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'a@example.com',
    RPC_URL_EIP155_1: `http://127.0.0.1:${port}`,
  };
  try {
    const all = (await examined(servers)).wrong.join('\n');
    assert.match(all, /problem files: other users of this machine can use .*root\.key/);
    assert.match(all, /problem root key: every user of this machine can read/);
    assert.match(all, /problem mail: the mail server 127\.0\.0\.1:\d+: .*554/);
    assert.match(all, /problem chains: eip155:1: 127\.0\.0\.1/);
  } finally {
    silent.close();
    chmodSync(dataDir, 0o700);
    chmodSync(keyFile, 0o600);
  }
  renameSync(keyFile, join(folder, 'away'));
  const without = await examined();
  assert.match(
    without.wrong.join('\n'),
    /problem root key: the root key file .* is missing, and the database was sealed with it/,
  );
  assert.equal(existsSync(keyFile), false, 'no key is made in its place');
  renameSync(join(folder, 'away'), keyFile);
});

test('a node that is of another chain is named, and one of its own chain is well', async () => {
  const anvil = await startAnvil();
  try {
    const { wrong, findings } = await examined({ RPC_URL_EIP155_1: anvil.url, RPC_URL_EIP155_31337: anvil.url });
    const { host } = new URL(anvil.url);
    assert.deepEqual(wrong, [`problem chains: eip155:1: ${host}: wrong chain`]);
    assert.match(findings.find(({ text }) => text.includes('wrong chain'))!.mend!, /^correct the URL/);
    assert.ok(findings.some(({ level, text }) => level === 'ok' && text === `eip155:31337: ${host}`));
  } finally {
    await anvil.stop();
  }
});

test('settings that cannot be read are a finding', async () => {
  const { wrong } = await examined({ PORT: 'eighty' });
  assert.match(wrong.join('\n'), /^problem settings: PORT must be/);
});
