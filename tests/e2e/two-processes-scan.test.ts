import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CHAIN, newAccount } from '../activities/sending/eth-support.ts';
import { FINALITY, scannedWorld } from '../chain-io/scan/support.ts';
import { type Client, resultOf } from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';

const world = await scannedWorld();
const receiver = await startReceiver();
const folder = mkdtempSync(join(tmpdir(), 'countersign-two-scans-'));
const database = await freshMigrated(folder);
const services: ServiceProcess[] = [];
after(async () => {
  for (const service of services) service.child.kill('SIGTERM');
  for (const service of services) await service.exited;
  receiver.close();
  await world.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const env = {
  ...world.env,
  DATA_DIR: folder,
  SCAN: CHAIN,
  OUTBOUND_ALLOW: receiver.host,
  ...(database && { DATABASE_URL: database.url }),
};
const raw = (sql: string) => rawSql({ folder, url: database?.url }, sql, []);

async function start(): Promise<ServiceProcess> {
  const service = await startProcess(env);
  services.push(service);
  await service.ready();
  return service;
}

async function listen(root: Client): Promise<void> {
  const eventTypes = ['BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'];
  const subscriptions = eventTypes.map((eventType) => ({ eventType }));
  const parameters = { url: `http://${receiver.host}/`, name: 'Receiver', subscriptions };
  resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
}

/** SQLite has one process at a time: there the next one is started after the first died. */
test('kill -9 of the process that scans, in the middle of blocks: each deposit is told once, and nothing is lost', async () => {
  const first = await start();
  if (engineName === 'postgres') await start();
  const root = first.root();
  await listen(root);
  const address = await newAccount(world, root, 0n);
  await waitFor('a place', async () => (await raw('SELECT number FROM scan_places')).length === 1);
  const blocks = 60;
  for (let i = 1; i <= blocks; i++) {
    await world.give(undefined, address, { value: BigInt(i) });
    await world.mine();
    if (i === blocks / 2) {
      // The owner of the lease may be either process, so both die.
      await waitFor('some rows', async () => (await raw('SELECT place FROM scanned_transactions')).length > 5);
      for (const service of services) service.child.kill('SIGKILL');
      for (const service of services) await service.exited;
    }
  }
  // The leases of dead processes end within a minute, which is not waited for here.
  if (engineName === 'postgres') {
    await raw('UPDATE leases SET lease_until = 0');
    await raw("UPDATE webhook_queues SET lease_until = 0, next_at = 0 WHERE owner <> ''");
  }
  await start();
  await world.mine(FINALITY);
  const told = (type: string) => {
    const all = receiver.received.map(({ body, eventId }) => ({ eventId, ...JSON.parse(body) }));
    return new Map(all.filter((one) => one.type === type).map((one) => [one.eventId, one.msg]));
  };
  for (const type of ['balances:confirmed', 'balances:finalized']) {
    await waitFor(type, () => told(type).size >= blocks);
    const amounts = [...told(type).values()].map(({ asset }) => Number(asset.amount));
    assert.deepEqual(
      amounts.toSorted((a, b) => a - b),
      Array.from({ length: blocks }, (_, i) => i + 1),
      type,
    );
  }
});
