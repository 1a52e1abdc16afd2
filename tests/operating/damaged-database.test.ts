import assert from 'node:assert/strict';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { engineName } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const skip = engineName !== 'sqlite' && 'about SQLite';

const folders: string[] = [];
const running: ServiceProcess[] = [];

function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'countersign-damaged-')));
  return folders.at(-1)!;
}

async function started(dataDir: string): Promise<ServiceProcess> {
  const service = await startProcess({ DATA_DIR: dataDir });
  running.push(service);
  await service.ready();
  return service;
}

async function ended(service: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
  service.child.kill(signal);
  await service.exited;
}

afterEach(async () => {
  for (const service of running.splice(0)) await ended(service, 'SIGKILL');
});
after(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const file = (dataDir: string) => join(dataDir, 'countersign.db');

/** Overwrites the first page of the table, as a disk may. */
function damage(dataDir: string, table: string): void {
  const db = new Database(file(dataDir), { readonly: true });
  const page = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number;
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  const handle = openSync(file(dataDir), 'r+');
  writeSync(handle, Buffer.alloc(size, 0xaa), 0, size, (page - 1) * size);
  closeSync(handle);
}

async function readyOf({ url }: ServiceProcess) {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, reason: ((await answer.json()) as { reason?: string }).reason };
}

async function damaged(table: string): Promise<ServiceProcess> {
  const dataDir = folder();
  const first = await started(dataDir);
  const made = await first.root().submit('CREATE_USER_TAG', { userTagName: 'kept', userIds: [] });
  assert.equal(made.status, 200, made.text);
  await ended(first, 'SIGTERM');
  damage(dataDir, table);
  return started(dataDir);
}

const REASON = /^the database is damaged, or its disk cannot be read: stop the service, and restore a backup/;

describe('a damaged page', { skip }, () => {
  test('is answered 503 where it is asked for, and the service is not ready from then on', async () => {
    const service = await damaged('tags');
    const root = service.root();
    const answer = await root.query('list_user_tags');
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.body.details[0].turnkeyErrorCode, 'UNAVAILABLE');
    assert.match(answer.body.message, /database of the service is damaged/);
    const { status, reason } = await readyOf(service);
    assert.equal(status, 503);
    assert.match(reason!, REASON);
    assert.match(reason!, /\(SQLITE_CORRUPT\)$/);
    assert.equal((await root.query('whoami')).status, 200, 'what is whole is served');
    assert.equal((await readyOf(service)).status, 503, 'another page says nothing of it');
    await ended(service, 'SIGTERM');
    assert.match(service.output(), /"code":"SQLITE_CORRUPT"/);
  });

  test('is found after the start by itself, and the start does not wait for that', async () => {
    const service = await damaged('invitations');
    assert.equal((await readyOf(service)).status, 200);
    let ready = await readyOf(service);
    for (; ready.status === 200; ready = await readyOf(service)) await pause(100);
    assert.match(ready.reason!, REASON);
    assert.match(service.output(), /"found":"invitations: .*the database file is damaged/);
    assert.equal((await fetch(`${service.url}/health`)).status, 200);
  });
});

describe('a write-ahead log that is gone after a crash', { skip }, () => {
  const newTag = (service: ServiceProcess, userTagName: string) =>
    service.root().submit('CREATE_USER_TAG', { userTagName, userIds: [] });

  /** A crash while the last commits are in the log alone. */
  async function crashed(): Promise<string> {
    const dataDir = folder();
    const service = await started(dataDir);
    await newTag(service, 'first');
    const copy = folder();
    const reader = new Database(file(dataDir), { readonly: true });
    // Its transaction keeps the pages that follow in the log.
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM tags').get();
    for (const name of ['second', 'third']) assert.equal((await newTag(service, name)).status, 200);
    await ended(service, 'SIGKILL');
    cpSync(dataDir, copy, { recursive: true });
    reader.close();
    return copy;
  }

  test('is told, and put back it is as if nothing had been', async () => {
    const dataDir = await crashed();
    const log = `${file(dataDir)}-wal`;
    cpSync(log, join(dataDir, 'kept'));
    for (const one of [log, `${file(dataDir)}-shm`]) rmSync(one);
    const refused = await startProcess({ DATA_DIR: dataDir });
    running.push(refused);
    const isReady = refused.ready().then(
      () => 'ready',
      () => refused.exited,
    );
    assert.equal(await isReady, 1, refused.output());
    assert.match(refused.output(), /^could not start: .*countersign\.db lacks the last \d+ commits, made until 2/m);
    assert.match(refused.output(), /\(countersign\.db-wal\) was removed.* remove .*countersign\.mark to continue without/);
    cpSync(join(dataDir, 'kept'), log);
    const service = await started(dataDir);
    const { userTags } = (await service.root().query('list_user_tags')).body;
    assert.equal(userTags.length, 3);
  });

  test('is given up if the operator removes the mark too: its commits are lost', async () => {
    const dataDir = await crashed();
    for (const one of ['countersign.db-wal', 'countersign.db-shm', 'countersign.mark']) rmSync(join(dataDir, one));
    const service = await started(dataDir);
    const { userTags } = (await service.root().query('list_user_tags')).body;
    assert.ok(userTags.length < 3, `${userTags.length} tags`);
    await ended(service, 'SIGKILL');
    await started(dataDir);
  });

  test('is nothing to tell where another program moved it into the database', async () => {
    const dataDir = await crashed();
    const shell = new Database(file(dataDir));
    shell.pragma('wal_checkpoint(TRUNCATE)');
    shell.close();
    const service = await started(dataDir);
    const { userTags } = (await service.root().query('list_user_tags')).body;
    assert.equal(userTags.length, 3);
  });
});
