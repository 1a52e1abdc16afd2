import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { post, stampOf } from '../../support/client.ts';
import { engineName, freshMigrated, plainSql } from '../../support/database.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { startOtlp } from '../../support/record-receivers.ts';
import { waitFor } from '../../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-ship-two-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A batch that was under way when a process was killed. */
const MOST_AGAIN = 100;

test('two processes ship each line once, and one goes on without a gap when the other is killed', {
  skip: engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone',
}, async () => {
  const receiver = await startOtlp();
  const database = (await freshMigrated(folder))!;
  const start = async (name: string) => {
    const service = await startProcess({
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      AUDIT_SHIP: `otlp+http://127.0.0.1:${receiver.port}`,
      AUDIT_SHIP_HEADERS: `x-from=${name}`,
    });
    await service.ready();
    return service;
  };
  const services: Record<string, ServiceProcess> = { a: await start('a') };
  const root = services.a!.root();
  services.b = await start('b');
  let count = 0;
  const tags = async (service: ServiceProcess, n: number) => {
    for (let i = 0; i < n; i++) {
      const body = root.bodyOf('CREATE_USER_TAG', { userTagName: `Tag ${++count}`, userIds: [] });
      const headers = { 'x-stamp': stampOf(root.keys, body) };
      assert.equal((await post(`${service.url}/public/v1/submit/create_user_tag`, body, headers)).status, 200);
    }
  };
  /** Activities of one transaction share their position. */
  const positions = async () => {
    const rows = await plainSql({ folder, url: database.url }, 'SELECT id, position FROM activities');
    return new Map(rows.map(({ id, position }) => [String(id), Number(position)]));
  };
  const firsts = () => [...new Set(receiver.taken.map(({ activity }) => activity.id))];
  const shipped = async () => {
    const all = await positions();
    await waitFor('all activities are shipped', () => firsts().length >= all.size);
    const places = firsts().map((id) => all.get(id)!);
    assert.deepEqual(
      places,
      [...all.values()].sort((a, b) => a - b),
    );
  };
  try {
    await Promise.all([tags(services.a!, 20), tags(services.b!, 20)]);
    await shipped();
    assert.equal(new Set(receiver.taken.map(({ id }) => id)).size, receiver.taken.length, 'no line comes twice');

    const holder = String(receiver.headers.at(-1)!['x-from']);
    const other = holder === 'a' ? 'b' : 'a';
    const under = Promise.all([tags(services[holder]!, 15).catch(() => {}), tags(services[other]!, 15)]);
    const before = receiver.taken.length;
    await waitFor('more lines', () => receiver.taken.length > before);
    services[holder]!.child.kill('SIGKILL');
    const killed = performance.now();
    await under;
    await tags(services[other]!, 15);
    await shipped();
    assert.equal(receiver.headers.at(-1)!['x-from'], other);
    assert.ok(performance.now() - killed < 60_000);
    assert.ok(receiver.taken.length - new Set(receiver.taken.map(({ id }) => id)).size <= MOST_AGAIN);
  } finally {
    for (const { child, exited } of Object.values(services)) {
      child.kill('SIGTERM');
      await exited;
    }
    await receiver.down();
    await database.drop();
  }
});
