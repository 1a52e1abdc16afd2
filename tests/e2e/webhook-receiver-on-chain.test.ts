/** The example receiver against a service that sends on a chain, and scans it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Balance, described, type Payload, type SendStatus } from '../../examples/webhook-receiver/events.ts';
import { inboxAt } from '../../examples/webhook-receiver/inbox.ts';
import { keysOf } from '../../examples/webhook-receiver/keys.ts';
import { receiver } from '../../examples/webhook-receiver/receive.ts';
import { CHAIN, idOf, landed, newAccount } from '../activities/sending/eth-support.ts';
import { FINALITY, scannedWorld } from '../chain-io/scan/support.ts';
import { resultOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { sharedInstance } from '../support/instance.ts';
import { waitFor } from '../support/wait.ts';

const port = await freePort();
const world = await scannedWorld();
const folder = mkdtempSync(join(tmpdir(), 'countersign-receiver-'));
after(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});
const instance = await sharedInstance({ ...world.env, SCAN: CHAIN, OUTBOUND_ALLOW: `127.0.0.1:${port}` });
const { root, clock } = instance;

const EVENTS = ['SEND_TRANSACTION_STATUS_UPDATES', 'BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'];

test('the example receiver reads the events of a send, and of what it moved', async (t) => {
  const handled: Payload[] = [];
  const inbox = inboxAt(join(folder, 'inbox.db'));
  const handle = async (payload: Payload) => void handled.push(payload);
  const one = receiver({ keys: keysOf(instance.url, clock.now), inbox, path: '/hooks', handle, now: clock.now });
  t.after(async () => {
    await one.close();
    inbox.close();
  });
  await new Promise<void>((listening) => one.server.listen(port, '127.0.0.1', listening));
  await waitFor('the scan begins', () => instance.engine.store.read.scan.place(CHAIN));
  const subscriptions = EVENTS.map((eventType) => ({ eventType }));
  const parameters = { name: 'Example', url: `http://127.0.0.1:${port}/hooks`, subscriptions };
  resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');

  const [from, to] = [await newAccount(world, root), await newAccount(world, root, 0n)];
  await world.admin.setAutomine(true);
  const asked = { from, caip2: CHAIN, calls: [{ to, value: '7' }] };
  const sendId = idOf(await root.submit('ETH_SEND_TRANSACTION_V2', asked));
  const { eth } = await landed(root, sendId);
  await world.mine(FINALITY);

  const sends = () =>
    handled.filter((payload): payload is SendStatus => 'msg' in payload && payload.type === 'transaction:status');
  const balances = () =>
    handled.filter((payload): payload is Balance => 'msg' in payload && payload.type.startsWith('balances:'));
  await waitFor('all events', () => sends().length === 2 && balances().length === 4);
  assert.deepEqual(sends().map(described), [
    `send ${sendId} on ${CHAIN}: BROADCASTING`,
    `send ${sendId} on ${CHAIN}: INCLUDED ${eth.txHash}`,
  ]);
  const { blockNumber } = await world.node.getTransactionReceipt({ hash: eth.txHash });
  const moved = (type: string) =>
    [`deposit of 7 ETH at ${to}`, `withdraw of 7 ETH at ${from}`].map((what) => `${what}: ${type}, block ${blockNumber}`);
  assert.deepEqual(balances().map(described).sort(), ['balances:confirmed', 'balances:finalized'].flatMap(moved).sort());
  for (const { organizationId, msg } of balances())
    assert.deepEqual([organizationId, msg.txHash, msg.caip2], [root.organizationId, eth.txHash, CHAIN]);
});
