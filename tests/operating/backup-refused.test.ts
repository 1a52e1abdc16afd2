import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type BackupPlace, backupPlace, changed, textOf, written } from '../support/backups.ts';
import { type CliRan, cli } from '../support/cli.ts';
import { ethereumAccount } from '../support/client.ts';
import { engineName, type Fresh, freshDatabase, plainSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

const next = seeded(Number(process.env.TEST_SEED ?? 1));

let place: BackupPlace;
let source: Fresh | undefined;
let target: Fresh | undefined;
let env: Record<string, string>;
let good: string;
let text: string;

before(async () => {
  place = await backupPlace();
  [source, target] = [await freshDatabase(), await freshDatabase()];
  env = { DATA_DIR: place.at('data'), ...(source ? { DATABASE_URL: source.url } : {}) };
  const service = await startProcess(env);
  await service.ready();
  await service.root().submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  service.child.kill('SIGTERM');
  await service.exited;
  good = place.at('good.age');
  assert.equal((await backup(['--recipient', place.recipient], good)).code, 0);
  text = await textOf(place, good);
});
after(async () => {
  await source?.drop();
  await target?.drop();
  place.remove();
});

const backup = (options: readonly string[], file: string, more: Record<string, string> = {}) =>
  cli(['backup', '--out', file, ...options], { env: { ...env, ...more } });

const home = (): Record<string, string> => ({
  DATA_DIR: place.at('restored'),
  ...(target ? { DATABASE_URL: target.url } : {}),
});

const restore = (file: string, options: readonly string[] = ['--identity', place.identityFile], more = {}): Promise<CliRan> =>
  cli(['restore', '--from', file, ...options], { env: { ...home(), ...more } });

/** Refused with this reason, and nothing is written. */
async function refused(ran: Promise<CliRan>, reason: RegExp, code = 1): Promise<void> {
  const { err, out, code: own } = await ran;
  assert.match(err, reason);
  assert.deepEqual([own, out], [code, '']);
  const found = existsSync(place.at('restored')) ? readdirSync(place.at('restored')) : [];
  assert.deepEqual(found, [], 'nothing is in DATA_DIR');
  if (target === undefined) return;
  const at = { folder: '', url: target.url };
  const rows = await plainSql(at, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
  assert.deepEqual(rows, [], 'nothing is in the database');
}

const bad = () => place.at('bad.age');

test('a copy with one changed byte is refused, wherever it is', async () => {
  const bytes = readFileSync(good);
  for (let round = 0; round < amount(4, 20, 60); round++) {
    const at = next(bytes.length);
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << next(8);
    writeFileSync(bad(), flipped);
    await refused(restore(bad()), /nothing was restored: .*bad\.age /);
  }
});

test('a copy that is cut off is refused', async () => {
  const bytes = readFileSync(good);
  for (const length of [0, 100, bytes.length - 1, ...Array.from({ length: amount(1, 10) }, () => next(bytes.length))]) {
    writeFileSync(bad(), bytes);
    truncateSync(bad(), length);
    await refused(restore(bad()), /nothing was restored: .*bad\.age (is damaged|is no copy)/);
  }
});

test('a copy that another program wrote is refused', async () => {
  const wrong: [RegExp, (line: never, table: string) => unknown][] = [
    [
      /has format 2, and this program knows 1/,
      (line: object) => ('countersignBackup' in line ? { ...line, countersignBackup: 2 } : line),
    ],
    [/has schema version 999/, (line: object) => ('countersignBackup' in line ? { ...line, schema: 999 } : line)],
    [
      /schema version 37, of a development version/,
      (line: object) => ('countersignBackup' in line ? { ...line, schema: 37 } : line),
    ],
    [
      /do not have the numbers of rows/,
      (line: unknown, table: string) => (table === 'wallets' && Array.isArray(line) ? undefined : line),
    ],
    [/no bytes/, (line: unknown, table: string) => (table === 'secrets' && Array.isArray(line) ? line.with(-1, 'x!') : line)],
    [
      /table wallets is not that of its schema/,
      (line: { table?: string; columns: unknown[] }) =>
        line.table === 'wallets' ? { ...line, columns: [...line.columns.slice(1), ['x', 'int']] } : line,
    ],
    [
      /describes no table/,
      (line: { table?: string }) => (line.table === 'wallets' ? { ...line, table: 'wallets"; DROP TABLE users; --' } : line),
    ],
  ] as never;
  for (const [reason, change] of wrong) {
    await written(place, bad(), changed(text, change as never));
    await refused(restore(bad()), reason);
  }
  const without = changed(text, (line: { end?: { rows: object } }, table: string) => {
    if (line.end !== undefined) return { end: { ...line.end, rows: { ...line.end.rows, wallets: undefined } } };
    return table === 'wallets' ? undefined : line;
  });
  await written(place, bad(), without);
  await refused(restore(bad()), /lacks the table wallets/);
});

test('a place that is not empty is refused', async () => {
  const dataDir = place.at('restored');
  if (target === undefined) {
    mkdirSync(dataDir);
    writeFileSync(`${dataDir}/notes.txt`, 'mine');
    const { err, code } = await restore(good);
    assert.match(err, /nothing was restored: .* is not empty: it has notes\.txt/);
    assert.deepEqual([code, readdirSync(dataDir)], [1, ['notes.txt']]);
    rmSync(dataDir, { recursive: true });
  } else {
    const at = { folder: '', url: target.url };
    await plainSql(at, 'CREATE TABLE mine (id int)');
    const { err, code } = await restore(good);
    assert.match(err, /nothing was restored: the database is not empty: it has mine/);
    assert.equal(code, 1);
    await plainSql(at, 'DROP TABLE mine');
  }
  const running = await cli(['restore', '--from', good, '--identity', place.identityFile], { env });
  assert.match(running.err, /nothing was restored: .* is not empty/);
});

test('another root key in the place of the copy’s is kept, and refused', async () => {
  const path = place.at('other.key');
  writeFileSync(path, `${'ab'.repeat(32)}\n`);
  await refused(restore(good, undefined, { ROOT_KEY_PATH: path }), /other\.key holds another root key than the copy/);
  assert.equal(readFileSync(path, 'utf8'), `${'ab'.repeat(32)}\n`);
  const passphrase = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: 'a passphrase of another provider' };
  await refused(restore(good, undefined, passphrase), /sealed with ROOT_KEY_PROVIDER=file/);
});

test('a dry run tells what would happen, and writes nothing', async () => {
  const { code, out, err } = await restore(good, ['--identity', place.identityFile, '--dry-run', '--json']);
  assert.equal(code, 0, err);
  const told = JSON.parse(out);
  assert.deepEqual([told.dryRun, told.rootKey, told.rows.wallets, told.engine], [true, 'written', 1, engineName]);
  assert.equal(existsSync(place.at('restored')), false);
});

test('a passphrase opens its copy alone, and no output has a secret', async () => {
  const BACKUP_PASSPHRASE = 'correct horse battery staple';
  const file = place.at('by-passphrase.age');
  const made = await backup(['--without-root-key', '--json'], file, { BACKUP_PASSPHRASE });
  assert.equal(made.code, 0, made.err);
  assert.match(made.err, /does not hold the root key: keep a copy of its file elsewhere/);
  await refused(
    restore(file, [], { BACKUP_PASSPHRASE: 'incorrect horse battery staple' }),
    /BACKUP_PASSPHRASE is not its passphrase/,
  );
  await refused(restore(file), /it was encrypted to another key/);
  const key = `${place.at('data')}/root.key`;
  const drill = ['--drill', '--root-key', key, '--json'];
  const proved = await restore(file, drill, { BACKUP_PASSPHRASE });
  assert.equal(proved.code, 0, proved.err);
  assert.equal(JSON.parse(proved.out).rootKey, 'a file');
  const root = JSON.parse(readFileSync(`${place.at('data')}/root-credentials.json`, 'utf8'));
  const secrets = [BACKUP_PASSPHRASE, readFileSync(key, 'utf8').trim(), root.apiPrivateKey, place.identity];
  for (const output of [made.out, made.err, proved.out, proved.err, readFileSync(good, 'latin1'), readFileSync(file, 'latin1')])
    for (const secret of secrets) assert.ok(!output.includes(secret));
  assert.ok(text.includes(secrets[1]!), 'the copy itself holds the root key');
  assert.ok(!text.includes(root.apiPrivateKey));
});

test('wrong options, and a file that exists, are refused before anything is read', async () => {
  const asked: [RegExp, number, Promise<CliRan>][] = [
    [/a copy is always encrypted/, 2, backup([], bad())],
    [/at least 12 characters/, 2, backup([], bad(), { BACKUP_PASSPHRASE: 'short' })],
    [/must be an age public key/, 2, backup(['--recipient', 'age1'], bad())],
    [/no copy was made: .*good\.age exists/, 1, backup(['--recipient', place.recipient], good)],
    [/name the copy/, 2, cli(['restore'], { env: home() })],
    [/set BACKUP_PASSPHRASE/, 2, restore(good, [])],
    [/has no age private key/, 2, restore(good, ['--identity', good])],
    [/--root-key is for --drill/, 2, restore(good, ['--identity', place.identityFile, '--root-key', 'x'])],
  ];
  for (const [reason, code, ran] of asked) {
    const { err, code: own } = await ran;
    assert.match(err, reason);
    assert.equal(own, code);
  }
  assert.equal((await backup(['--recipient', place.recipient, '--force'], place.at('bad.age'))).code, 0);
  assert.deepEqual(
    readdirSync(place.folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('a drill finds a secret that does not open, and leaves nothing', async () => {
  const swapped = changed(text, (line: never[], table: string) =>
    table === 'secrets' && Array.isArray(line) ? line.with(-1, Buffer.alloc(60, 1).toString('base64') as never) : line,
  );
  await written(place, bad(), swapped);
  const { code, out } = await restore(bad(), ['--identity', place.identityFile, '--drill', '--json']);
  assert.equal(code, 1);
  assert.match(JSON.parse(out).faults[0], /^secrets: the secret of .* does not open$/);
  assert.deepEqual(
    readdirSync(process.env.TMPDIR ?? '/tmp').filter((name) => name.startsWith('countersign-drill-')),
    [],
  );
});

const AGE = spawnSync('age', ['--version']).status === 0;

test('the program age opens a copy', { skip: AGE ? false : 'the program age is not installed' }, () => {
  const { status, stdout } = spawnSync('age', ['-d', '-i', place.identityFile, good], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.equal(stdout, text);
});
