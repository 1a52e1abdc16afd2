import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { RECEIVER } from '../../../support/samples.ts';
import { idOf, newAccounts, sendOf, sharedSending, statusOf, TYPE, transaction, transfer, until } from './support.ts';

const sending = await sharedSending();
const { instance } = sending;
const { root } = instance;

test(`sends of a sub-organization are events of its parent, on ${engineName}`, async () => {
  const subscriptions = [{ eventType: 'SEND_TRANSACTION_STATUS_UPDATES' }];
  const endpoint = { url: RECEIVER, name: 'Receiver', subscriptions };
  resultOf(await root.submit('CREATE_WEBHOOK_ENDPOINT', endpoint), 'createWebhookEndpointResult');
  const { clients, organizationId } = await instance.newSubOrganization('Sends', 1, 1);
  const [client] = clients;
  const [payer] = await newAccounts(sending, client!, 1, 100_000_000_000n);
  const id = idOf(await client!.submit(TYPE, sendOf([payer!], transaction({ payer: payer! }, transfer(payer!)))));
  await until(client!, id, 'INCLUDED');
  const { solana } = await statusOf(client!, id);
  const rows = (await instance.raw('SELECT * FROM webhook_events ORDER BY position')) as { subject: string; body: Buffer }[];
  const told = rows.filter(({ subject }) => subject === id).map(({ body }) => JSON.parse(body.toString()));
  assert.deepEqual(
    told.map(({ organizationId, parentOrganizationId, msg }) => [organizationId, parentOrganizationId, msg.status, msg.txHash]),
    [
      [organizationId, root.organizationId, 'BROADCASTING', undefined],
      [organizationId, root.organizationId, 'INCLUDED', solana.signature],
    ],
  );
});
