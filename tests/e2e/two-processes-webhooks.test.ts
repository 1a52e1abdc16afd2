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
import { type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { isRelease } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';
import { newEndpoint, record } from '../workers/webhooks/support.ts';

const skip = engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone';

/** Endpoints of the process that dies, and of the one that lives. */
const DYING = ['/a', '/b', '/c'];
const LIVING = ['/d', '/e', '/f'];
const SUBJECTS = 40;
/** Requests of an endpoint that are answered before the kill. Later ones are then under way. */
const BEFORE = 21;

const nameOf = (paths: readonly string[]): string => `endpoints ${paths.join(' ')}`;

describe('webhooks of two processes of one database', { skip }, async () => {
  const receiver = await startReceiver();
  const underWay = new Set<string>();
  const twice: string[] = [];
  const killed = Promise.withResolvers<void>();
  const services: ServiceProcess[] = [];
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-webhooks-'));
    database = (await freshMigrated(dataDir))!;
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url, OUTBOUND_ALLOW: receiver.host };
    services.push(...(await Promise.all([startProcess(env), startProcess(env)])));
    await Promise.all(services.map((service) => service.ready()));
    for (const path of [...DYING, ...LIVING])
      receiver.behave(path, async (response, { eventId }) => {
        const name = `${path} ${eventId}`;
        if (underWay.has(name)) twice.push(name);
        underWay.add(name);
        response.on('close', () => underWay.delete(name));
        if (receiver.at(path).length > BEFORE) await killed.promise;
        await sleep(20);
        if (!response.destroyed) response.writeHead(200).end();
      });
  });
  after(async () => {
    killed.resolve();
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    receiver.close();
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  const raw = (sql: string, ...values: unknown[]) => rawSql({ folder: dataDir, url: database.url }, sql, values);

  /** The endpoints' owners, and the end of their last lease. */
  async function leasesOf(paths: readonly string[]): Promise<{ owners: string[]; until: number }> {
    const sql = `SELECT q.owner, q.lease_until FROM webhook_queues q JOIN webhook_endpoints e ON e.id = q.endpoint_id
      WHERE e.name = $1 AND q.owner <> ''`;
    const found = await raw(sql, nameOf(paths));
    const owners = [...new Set(found.map(({ owner }) => String(owner)))];
    return { owners, until: Math.max(...found.map(({ lease_until }) => Number(lease_until))) };
  }

  async function listen(client: Client, paths: readonly string[]): Promise<void> {
    for (const path of paths) await newEndpoint(client, `http://${receiver.host}${path}`, nameOf(paths));
  }

  /** Events happen, which this process alone takes: the other one is halted. Returns their ids when requests are under way. */
  async function taken(by: ServiceProcess, client: Client, paths: readonly string[]): Promise<string[]> {
    const other = services.find((service) => service !== by)!;
    other.child.kill('SIGSTOP');
    await raw("UPDATE leases SET lease_until = 0 WHERE name = 'webhook fan-out'");
    const store = openStore({ folder: dataDir, url: database.url, poolSize: 1 });
    const clock = { now: Date.now };
    const engine = { store, clock, ids: uuidV7(clock, systemRandom) } as unknown as Engine;
    const subjects = Array.from({ length: 3 * SUBJECTS }, (_, i) => `subject ${i % SUBJECTS}`);
    const ids = await record(engine, client.organizationId, subjects);
    await store.close();
    const isUnderWay = (path: string) => [...underWay].some((name) => name.startsWith(`${path} `));
    await waitFor('requests under way', () => paths.every((path) => receiver.at(path).length > BEFORE && isUnderWay(path)));
    other.child.kill('SIGCONT');
    return ids;
  }

  async function delivered(paths: readonly string[], ids: readonly string[]): Promise<void> {
    for (const path of paths) {
      await waitFor(path, () => new Set(receiver.taken(path).map(({ eventId }) => eventId)).size === ids.length);
      for (let one = 0; one < SUBJECTS; one++) {
        const wanted = ids.filter((_, i) => i % SUBJECTS === one);
        const got = receiver
          .taken(path)
          .map(({ eventId }) => eventId)
          .filter((id) => wanted.includes(id));
        assert.deepEqual([...new Set(got)], wanted);
      }
    }
  }

  test('kill -9 of one in the middle of deliveries: none is lost, and none is under way twice at one time', async () => {
    const [dying, living] = services as [ServiceProcess, ServiceProcess];
    const root = living.root();
    const keys = newKeys();
    const parameters = { subOrganizationName: 'Other', rootQuorumThreshold: 1, rootUsers: [userWith('A', [keys])] };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
    const other = root.as(keys, made.subOrganizationId);
    await listen(root, DYING);
    await listen(other, LIVING);
    const first = await taken(dying, root, DYING);
    const second = await taken(living, other, LIVING);
    dying.child.kill('SIGKILL');
    await dying.exited;
    const [dead, alive] = [await leasesOf(DYING), await leasesOf(LIVING)];
    assert.deepEqual([dead.owners.length, alive.owners.length], [1, 1]);
    assert.notEqual(dead.owners[0], alive.owners[0]);
    const before = DYING.map((path) => receiver.at(path).length);
    killed.resolve();
    await delivered(LIVING, second);
    if (isRelease) {
      await waitFor('the next request', () => DYING.some((path, i) => receiver.at(path).length > before[i]!));
      assert.ok(Date.now() >= dead.until, 'its leases had not ended');
    } else {
      // They last half a minute, which only a release waits for.
      assert.deepEqual(
        DYING.map((path) => receiver.at(path).length),
        before,
      );
      await raw('UPDATE webhook_queues SET lease_until = 0, next_at = 0 WHERE owner = $1', dead.owners[0]);
      await raw('UPDATE leases SET lease_until = 0 WHERE owner = $1', dead.owners[0]);
    }
    await delivered(DYING, first);
    assert.deepEqual(twice, []);
  });
});
