import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { uuidV7 } from '../../src/base/ids.ts';
import { systemRandom } from '../../src/base/random.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openStore } from '../../src/store/store.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { newEndpoint, record } from '../workers/webhooks/support.ts';

const skip = engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone';
// A suite that is skipped counts as no test.
if (skip) test('webhooks of two processes of one database', { skip }, () => {});

const PATHS = ['/a', '/b', '/c', '/d', '/e', '/f'];

describe('webhooks of two processes of one database', { skip }, async () => {
  const receiver = await startReceiver();
  const underWay = new Set<string>();
  const twice: string[] = [];
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
  let services: ServiceProcess[] = [];

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-webhooks-'));
    database = (await freshMigrated(dataDir))!;
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url, OUTBOUND_ALLOW: receiver.host };
    services = await Promise.all([startProcess(env), startProcess(env)]);
    await Promise.all(services.map((service) => service.ready()));
    for (const path of PATHS)
      receiver.behave(path, async (response, { eventId }) => {
        const name = `${path} ${eventId}`;
        if (underWay.has(name)) twice.push(name);
        underWay.add(name);
        response.on('close', () => underWay.delete(name));
        await sleep(20);
        response.writeHead(200).end();
      });
  });
  after(async () => {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    receiver.close();
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  test('kill -9 of one in the middle of deliveries: none is lost, and none is under way twice at one time', async () => {
    const root = services[0]!.root();
    for (const path of PATHS) await newEndpoint(root, `http://${receiver.host}${path}`);
    const store = openStore({ folder: dataDir, url: database.url, poolSize: 1 });
    const clock = { now: Date.now };
    const engine = { store, clock, ids: uuidV7(clock, systemRandom) } as unknown as Engine;
    const subjects = Array.from({ length: 120 }, (_, i) => `subject ${i % 40}`);
    const ids = await record(engine, root.organizationId, subjects);
    await store.close();
    await waitFor('some deliveries', () => receiver.received.length > ids.length);
    services[0]!.child.kill('SIGKILL');
    await services[0]!.exited;
    assert.ok(receiver.received.length < ids.length * PATHS.length, 'it died in the middle');
    // Its leases end in half a minute; time is not waited for here.
    const sql = "UPDATE webhook_queues SET lease_until = 0, next_at = 0 WHERE owner <> ''";
    await rawSql({ folder: dataDir, url: database.url }, sql, []);
    await rawSql({ folder: dataDir, url: database.url }, 'UPDATE leases SET lease_until = 0', []);
    for (const path of PATHS) {
      await waitFor(path, () => new Set(receiver.taken(path).map(({ eventId }) => eventId)).size === ids.length);
      for (let one = 0; one < 40; one++) {
        const wanted = ids.filter((_, i) => i % 40 === one);
        const got = receiver
          .taken(path)
          .map(({ eventId }) => eventId)
          .filter((id) => wanted.includes(id));
        assert.deepEqual([...new Set(got)], wanted);
      }
    }
    assert.deepEqual(twice, []);
  });
});
