import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { openReadOnly, openStore } from '../../src/store/store.ts';
import { cli } from '../support/cli.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const FILE = 'countersign.db';

/** What a development version before 0.2.0 left, in short. */
const MADE = [
  'CREATE TABLE migrations (version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)',
  'CREATE TABLE clock (id bigint PRIMARY KEY, reached bigint NOT NULL)',
  'INSERT INTO clock VALUES (1, 5)',
  "INSERT INTO migrations VALUES (36, 'known nonces', 1)",
  "INSERT INTO migrations VALUES (37, 'codes of the proxy', 1)",
];

/** As `kill -9` leaves it: the last rows are in the log alone. */
function leftOnSqlite(folder: string): void {
  const made = join(folder, 'made');
  mkdirSync(made);
  const db = new Database(join(made, FILE));
  db.pragma('journal_mode = WAL');
  for (const sql of MADE.slice(0, -1)) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.exec(MADE.at(-1)!);
  for (const name of readdirSync(made)) copyFileSync(join(made, name), join(folder, name));
  db.close();
  rmSync(made, { recursive: true });
}

type Place = { folder: string; url: string | undefined };

/** Each byte of the files, or each row with the transaction that wrote it. */
async function contentOf({ folder, url }: Place): Promise<object> {
  if (url === undefined)
    return Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.startsWith(FILE))
        .map((name) => [name, readFileSync(join(folder, name), 'hex')]),
    );
  const at = { folder, url };
  return {
    objects: await plainSql(
      at,
      "SELECT relname, relfilenode, xmin::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    ),
    migrations: await plainSql(at, 'SELECT xmin::text, xmax::text, * FROM migrations ORDER BY version'),
    clock: await plainSql(at, 'SELECT xmin::text, xmax::text, * FROM clock'),
  };
}

async function withOlder(work: (place: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-older-'));
  const database = await freshDatabase();
  const place = { folder, url: database?.url };
  try {
    if (database === undefined) leftOnSqlite(folder);
    else for (const sql of MADE) await plainSql(place, sql);
    await work(place);
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const settingsOf = ({ folder, url }: Place) => ({ DATA_DIR: folder, ...(url && { DATABASE_URL: url }) });

const REFUSED =
  /development version before 0\.2\.0.*cannot read it|of a development version before 0\.2\.0, which this program cannot read/;
const WHAT_TO_DO = /Nothing in it was changed\. Use it with the version that created it, or start with an empty database/;

test(`a database of a development version is refused untouched by the service, on ${engineName}`, () =>
  withOlder(async (place) => {
    const before = await contentOf(place);
    if (engineName === 'sqlite') assert.deepEqual(Object.keys(before), [FILE, `${FILE}-shm`, `${FILE}-wal`]);
    const service = await startProcess(settingsOf(place));
    assert.equal(await service.exited, 1);
    assert.match(service.output(), REFUSED);
    assert.match(service.output(), WHAT_TO_DO);
    assert.deepEqual(await contentOf(place), before);
  }));

async function command(place: Place, args: readonly string[]): Promise<{ code: unknown; complaint: string }> {
  const { code, err } = await cli(args, { env: settingsOf(place) });
  return { code, complaint: err };
}

test(`and by the commands of operators, on ${engineName}`, () =>
  withOlder(async (place) => {
    const before = await contentOf(place);
    const commands = [
      ['outbox', 'list'],
      ['clock', 'reset', '--reason', 'a wrong clock'],
      ['archive', '--before', '2025-01-31', '--dry-run'],
      ['archive', '--before', '2025-01-31'],
    ];
    for (const args of commands) {
      const { code, complaint } = await command(place, args);
      assert.notEqual(code, 0, args.join(' '));
      assert.match(complaint, REFUSED, args.join(' '));
      assert.match(complaint, WHAT_TO_DO, args.join(' '));
      assert.deepEqual(await contentOf(place), before, args.join(' '));
    }
  }));

test(`and by a store that only reads, on ${engineName}`, () =>
  withOlder(async (place) => {
    const before = await contentOf(place);
    const looks = async () => {
      const { requireSchema, close } = openReadOnly(place);
      await requireSchema().finally(close);
    };
    await assert.rejects(looks, REFUSED);
    const migrates = async () => {
      const { migrate, close } = openStore({ ...place, poolSize: 1 });
      await migrate(1).finally(close);
    };
    await assert.rejects(migrates, REFUSED);
    assert.deepEqual(await contentOf(place), before);
  }));
