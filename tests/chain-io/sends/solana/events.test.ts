import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemProgram } from '@solana/web3.js';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { RECEIVER } from '../../../support/samples.ts';
import { waitFor } from '../../../support/wait.ts';
import {
  attemptsOf,
  idOf,
  newAccounts,
  sendOf,
  sendRow,
  setAccount,
  sharedSending,
  statusOf,
  TYPE,
  transaction,
  transfer,
  until,
} from './support.ts';

const sending = await sharedSending();
const { instance } = sending;
const { root } = instance;
const subscriptions = [{ eventType: 'SEND_TRANSACTION_STATUS_UPDATES' }];
const endpoint = { url: RECEIVER, name: 'Receiver', subscriptions };
resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', endpoint), 'createWebhookEndpointResult');

// biome-ignore lint/suspicious/noExplicitAny: payloads are looked into freely
async function told(id: string): Promise<any[]> {
  const rows = (await instance.raw('SELECT * FROM webhook_events ORDER BY position')) as { subject: string; body: Buffer }[];
  return rows.filter(({ subject }) => subject === id).map(({ body }) => JSON.parse(body.toString()));
}

test(`sends of a sub-organization are events of its parent, on ${engineName}`, async () => {
  const { clients, organizationId } = await instance.newSubOrganization('Sends', 1, 1);
  const [client] = clients;
  const [payer] = await newAccounts(sending, client!, 1, 100_000_000_000n);
  const id = idOf(await client!.submit(TYPE, sendOf([payer!], transaction({ payer: payer! }, transfer(payer!)))));
  await until(client!, id, 'INCLUDED');
  const { solana } = await statusOf(client!, id);
  const events = await told(id);
  assert.deepEqual(
    events.map(({ organizationId, parentOrganizationId, msg }) => [organizationId, parentOrganizationId, msg.status, msg.txHash]),
    [
      [organizationId, root.organizationId, 'BROADCASTING', undefined],
      [organizationId, root.organizationId, 'INCLUDED', solana.signature],
    ],
  );
});

test(`a send that a fork moved to another slot is told again, and logs of its error are no news, on ${engineName}`, async () => {
  const { node, liar } = sending;
  const [payer] = await newAccounts(sending, root, 1);
  node.mark();
  const id = idOf(await root.submit(TYPE, sendOf([payer!], transaction({ payer: payer! }, transfer(payer!, 50_000_000)))));
  await until(root, id, 'INCLUDED');
  const { blockNumber } = await sendRow(instance, id);
  const [attempt] = await attemptsOf(sending, id);
  liar.lie({ kind: 'error', code: -32000, message: 'later' }, { methods: ['getTransaction'] });
  node.hold();
  await rpc(node.url, 'sendTransaction', [attempt!.signed.toString('base64'), { encoding: 'base64', skipPreflight: true }]);
  // In the other fork its payer has less.
  node.rollBack();
  setAccount(node, payer!, SystemProgram.programId, Buffer.alloc(0));
  node.advance(5);
  node.land();
  const untilRow = (what: string, is: (row: Awaited<ReturnType<typeof sendRow>>) => boolean) =>
    waitFor(what, async () => {
      instance.clock.advance(2_000);
      const row = await sendRow(instance, id);
      return row.state === 'included' && is(row) && row;
    });
  await untilRow('it is in another slot', (row) => row.blockNumber !== blockNumber);
  liar.truth();
  const logsOf = (error: unknown) => (error as { solana?: { logs: string[] } } | null)?.solana?.logs ?? [];
  await untilRow('its error has logs', ({ error }) => logsOf(error).length > 0);
  const messages = (await told(id)).map(({ msg }) => msg);
  assert.deepEqual(
    messages.map(({ status, txHash, error }) => [status, txHash, error !== undefined]),
    [
      ['BROADCASTING', undefined, false],
      ['INCLUDED', attempt!.hash, false],
      ['INCLUDED', attempt!.hash, true],
    ],
  );
  assert.equal(new Set(messages.map(({ idempotencyKey }) => idempotencyKey)).size, 3);
});
