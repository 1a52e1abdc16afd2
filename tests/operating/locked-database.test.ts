import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { type Client, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-locked-'));

/** Far more than `/health` takes on a busy machine, and less than a wait for the lock. */
const HEALTH_MS = 2_500;

describe('another program that holds the lock of SQLite', { skip: engineName !== 'sqlite' && 'about SQLite' }, () => {
  let service: ServiceProcess;
  let root: Client;
  let other: Database.Database;
  let names = 0;
  const newTag = () => root.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${++names}`, userIds: [] });
  const send = (body: string) => root.send(submitPath('CREATE_USER_TAG'), body);

  before(async () => {
    service = await startProcess({ DATA_DIR: dataDir });
    await service.ready();
    root = service.root();
    other = new Database(join(dataDir, 'countersign.db'));
  });
  after(async () => {
    other?.close();
    service?.child.kill('SIGKILL');
    await service?.exited;
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('for longer than five seconds: writes are answered 503, everything else goes on, and the same body works later', async () => {
    const bodies = [newTag(), newTag(), newTag()];
    other.exec('BEGIN IMMEDIATE');
    let waiting = true;
    const sent = Promise.all(bodies.map(send)).finally(() => {
      waiting = false;
    });
    let [worst, asked] = [0, 0];
    for (; waiting; asked++) {
      const started = performance.now();
      assert.equal((await fetch(`${service.url}/health`)).status, 200);
      worst = Math.max(worst, performance.now() - started);
      if (asked < 3) assert.equal((await root.query('whoami')).status, 200);
    }
    for (const answer of await sent) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.body.message, /send the same body again/);
    }
    assert.ok(asked > 3 && worst < HEALTH_MS, `/health at worst ${worst} ms of ${asked}`);
    other.exec('ROLLBACK');
    for (const body of bodies) assert.equal((await send(body)).status, 200);
    assert.equal((await fetch(`${service.url}/ready`)).status, 200);
    assert.match(service.output(), /"code":"SQLITE_BUSY".*another program holds the lock of the database in DATA_DIR/);
  });

  test('for less: the write waits for it', async () => {
    other.exec('BEGIN IMMEDIATE');
    const sent = send(newTag());
    for (let asked = 0; asked < 20; asked++) await fetch(`${service.url}/health`);
    other.exec('ROLLBACK');
    assert.equal((await sent).status, 200);
  });
});
