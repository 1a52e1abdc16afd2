/** What counts as a copy of a database, and its adoption. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { differences } from '../../src/app/identity.ts';
import { weiControl } from '../activities/velocity-controls/spends.ts';
import { cli } from '../support/cli.ts';
import { type Client, clientOf } from '../support/client.ts';
import { engineName, type Fresh, freshDatabase, plainSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const TERMINAL = fileURLToPath(new URL('../support/on-terminal.py', import.meta.url));
const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));

let folder: string;
let dataDir: string;
let database: Fresh | undefined;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-adopt-'));
  dataDir = join(folder, 'data');
  database = await freshDatabase();
});
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) });
const sql = (text: string) => plainSql({ folder: dataDir, url: database?.url }, text);

/** Runs the service. Returns the detail of its quarantine, if it is in one. */
async function start(use: (service: ServiceProcess) => Promise<void> = async () => {}): Promise<string | undefined> {
  const service = await startProcess(env());
  try {
    await service.ready();
    await use(service);
    const { warnings = [] } = (await (await fetch(`${service.url}/ready`)).json()) as {
      warnings?: { code: string; message: string }[];
    };
    return warnings.find(({ code }) => code === 'QUARANTINE')?.message;
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
}

async function adopt(...more: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await cli(['instance', 'adopt', '--reason', 'a test', '--json', ...more], { env: env() });
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

const kept = async ({ url }: ServiceProcess): Promise<unknown[]> =>
  ((await (await fetch(`${url}/dev/outbox`)).json()) as { messages: unknown[] }).messages;

function rootOf({ url }: ServiceProcess): Client {
  const {
    organizationId,
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
  } = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
  return clientOf(url, { publicKey, privateKey }, organizationId, () => Date.now() + 299_950);
}

async function mails(service: ServiceProcess): Promise<void> {
  const root = rootOf(service);
  const invitation = {
    ...{ receiverUserName: 'Guest', receiverUserEmail: 'guest@example.com', receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: (await root.query('whoami')).body.userId },
  };
  const made = await root.submit('CREATE_INVITATIONS', { invitations: [invitation] });
  assert.equal(made.status, 200, made.text);
}

const onSqlite = { skip: engineName !== 'sqlite' && 'about files of SQLite' };

test(`a restart is no copy, nor is what a program does to the file itself, on ${engineName}`, async () => {
  assert.equal(await start(), undefined);
  assert.equal(await start(), undefined);
  if (engineName === 'sqlite') await sql('VACUUM');
  assert.equal(await start(), undefined);
});

test('a copied, moved or replaced file is a copy, once', onSqlite, async () => {
  const other = join(folder, 'other');
  cpSync(dataDir, other, { recursive: true });
  renameSync(dataDir, join(folder, 'first'));
  dataDir = other;
  assert.match(
    (await start())!,
    /: the database is a copy of the one of the last start \(path .*; inode .*\): stop the original/,
  );
  assert.match((await start())!, /is a copy/, 'a restart does not end it');
  await adopt();
  assert.equal(await start(), undefined);
  // The same place and inode: the mark file tells.
  const file = new Database(join(dataDir, 'countersign.db'));
  file.exec(`VACUUM INTO '${join(folder, 'copy.db')}'`);
  file.close();
  copyFileSync(join(folder, 'copy.db'), join(dataDir, 'countersign.db'));
  rmSync(join(dataDir, 'countersign.mark'));
  assert.match((await start())!, /no file countersign\.mark/);
  await adopt();
});

/** As pg_upgrade, or a move to another server, leaves it. */
async function moved(): Promise<void> {
  const was =
    engineName === 'sqlite' ? `replace(value, '"inode":"', '"inode":"7')` : `replace(value, '"system":"', '"system":"7')`;
  await sql(`UPDATE instance SET value = ${was} WHERE key = 'identity'`);
}

test(`a release beside the running service ends its quarantine, and what waits is sent, on ${engineName}`, async () => {
  await moved();
  const left = await start(async (service) => {
    await mails(service);
    assert.deepEqual(await kept(service), []);
    const released = await cli(['sends', 'release', '--json'], { env: env() });
    assert.equal(released.code, 0, released.err);
    assert.match(JSON.parse(released.out).detail, /is a copy/);
    await waitFor('the mail', async () => (await kept(service)).length === 1);
    assert.match((await cli(['sends', 'release'], { env: env() })).out, /is not in quarantine: nothing was changed/);
    if (engineName === 'postgres') return;
    const again = await cli(['instance', 'adopt', '--reason', 'a test'], { env: env() });
    assert.equal(again.code, 1);
    assert.match(again.err, /the running service is not in quarantine: stop it/);
  });
  assert.equal(left, undefined);
  await moved();
  assert.equal(await start(async () => void (await adopt())), undefined);
  assert.equal(await start(), undefined);
});

test(`mail waits in quarantine, and an adoption for tests drops it, on ${engineName}`, async () => {
  await moved();
  const seen = await start(async (service) => {
    await mails(service);
    assert.deepEqual(await kept(service), []);
  });
  assert.match(seen!, engineName === 'sqlite' ? /inode 7/ : /system identifier 7/);
  const planned = await adopt('--dry-run', '--staging');
  assert.equal(planned.droppedMessages, 1);
  assert.equal((await sql("SELECT id FROM outbox WHERE state = 'ready'")).length, 1, 'a dry run changes nothing');
  assert.equal((await adopt('--staging')).droppedMessages, 1);
  const later = await start(async (service) => {
    assert.deepEqual(await kept(service), []);
    await mails(service);
    assert.equal((await kept(service)).length, 1, 'later ones are sent');
  });
  assert.equal(later, undefined);
  const [{ value } = {}] = await sql("SELECT value FROM instance WHERE key LIKE 'adopted %' ORDER BY key DESC");
  assert.deepEqual(JSON.parse(String(value)), { reason: 'a test', staging: true });
});

/** The limits whose windows count as full. */
async function full(): Promise<string> {
  const rows = await sql('SELECT identifier FROM velocity_controls WHERE full_since IS NOT NULL ORDER BY identifier');
  return rows.map(({ identifier }) => identifier).join();
}

test(`a release fills the windows of the limits that --limits names, and an adoption does, on ${engineName}`, async () => {
  await start(async (service) => {
    for (const control of [weiControl('binds', 10n, { countersign: { enforcement: 'ALWAYS' } }), weiControl('read', 10n)]) {
      const made = await rootOf(service).submit('CREATE_VELOCITY_CONTROL', control);
      assert.equal(made.status, 200, made.text);
    }
  });
  const release = (...more: string[]) => cli(['sends', 'release', '--json', ...more], { env: env() });
  await moved();
  assert.match((await release('--limits', 'some')).err, /--limits must be one of always, all, none/);
  for (const [limits, filled] of [
    ['none', ''],
    ['always', 'binds'],
    ['all', 'binds,read'],
  ] as const) {
    await sql('UPDATE velocity_controls SET full_since = NULL');
    await moved();
    const { code, out, err } = await release('--limits', limits);
    assert.equal(code, 0, err);
    assert.deepEqual([JSON.parse(out).fullLimits, await full()], [filled.split(',').filter(Boolean).length, filled]);
  }
  await sql('UPDATE velocity_controls SET full_since = NULL');
  await moved();
  assert.equal((await adopt('--limits', 'all')).fullLimits, 2);
  assert.equal(await full(), 'binds,read');
});

const onTerminal = { skip: spawnSync('python3', ['--version']).status !== 0 && 'python3 makes the terminal' };

test(`a release asks about limits on a terminal, unless nothing is in quarantine, on ${engineName}`, onTerminal, async () => {
  const shown = (answers: string[][]) =>
    spawnSync('python3', [TERMINAL, JSON.stringify(answers), process.execPath, CLI, 'sends', 'release'], {
      env: { PATH: process.env.PATH, ...env() },
      encoding: 'utf8',
    }).stdout;
  assert.match(shown([]), /^the instance is not in quarantine: nothing was changed\s*$/);
  await sql('UPDATE velocity_controls SET full_since = NULL');
  await moved();
  // A start notices the copy.
  assert.match((await start())!, /is a copy/);
  assert.match(shown([['[Y/n] ', 'n\n']]), /Limits over time lack .*the quarantine has ended/s);
  assert.equal(await full(), '');
});

test('a member of the identity that could not be read is no difference', () => {
  const now = { engine: 'postgres' as const, system: '1', database: '2', table: '3' };
  assert.deepEqual(differences({ ...now, system: null }, now), []);
  assert.deepEqual(differences(now, { ...now, system: null }), []);
  assert.deepEqual(differences(now, { ...now, database: '4' }), ['OID of the database 2, now 4']);
});
