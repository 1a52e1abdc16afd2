import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Send } from '../../../../src/model/send.ts';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { RECEIVER } from '../../../support/samples.ts';
import { CHAIN, startSends, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startSends();
});
after(() => world.stop());

type Row = { subject: string; body: Buffer; event_type: string };
// biome-ignore lint/suspicious/noExplicitAny: payloads are looked into freely
async function told({ id }: Send): Promise<any[]> {
  const rows = (await world.instance.raw('SELECT * FROM webhook_events ORDER BY position')) as Row[];
  const mine = rows.filter(({ subject, event_type }) => subject === id && event_type === 'SEND_TRANSACTION_STATUS_UPDATES');
  return mine.map(({ body }) => JSON.parse(body.toString()));
}

test(`each new status of a send is an event, once an endpoint listens, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const unheard = await world.accept(from);
  await world.untilState(unheard, 'included', 'final');
  const subscriptions = [{ eventType: 'SEND_TRANSACTION_STATUS_UPDATES' }];
  const endpoint = { url: RECEIVER, name: 'Receiver', subscriptions };
  resultOf(await world.instance.root.submit('CREATE_WEBHOOK_ENDPOINT', endpoint), 'createWebhookEndpointResult');

  const send = await world.accept(from);
  const { hash } = await world.untilState(send, 'included', 'final');
  const [broadcast, included, ...more] = await told(send);
  assert.deepEqual(more, []);
  const { organizationId } = world;
  const msg = { sendTransactionStatusId: send.id, activityId: send.activityId, caip2: CHAIN };
  const { idempotencyKey: first, timestamp, ...sent } = broadcast.msg;
  assert.deepEqual(
    { ...broadcast, msg: sent },
    { type: 'transaction:status', organizationId, parentOrganizationId: organizationId, msg: { ...msg, status: 'BROADCASTING' } },
  );
  const { idempotencyKey: second, timestamp: later, ...mined } = included.msg;
  assert.deepEqual(mined, { ...msg, status: 'INCLUDED', txHash: hash });
  for (const key of [first, second]) assert.match(key, /^[0-9a-f]{64}$/);
  assert.notEqual(first, second);
  assert.ok(later >= timestamp && Math.abs(later - world.instance.clock.now() / 1000) < 60);

  const contract = `0x${'c0'.repeat(20)}`;
  await world.ask('anvil_setCode', contract, '0x60006000fd');
  const reverting = await world.accept(from, { calls: [{ to: contract, value: '0', data: '0x' }], gas: '60000' });
  await world.untilState(reverting, 'included', 'final');
  const reverted = (await told(reverting)).at(-1).msg;
  assert.equal(reverted.status, 'INCLUDED');
  assert.match(reverted.error.message, /^execution reverted/);

  const refused = await world.accept(from, { gas: null, refused: { message: 'execution reverted' } });
  await world.untilState(refused, 'failed');
  const failed = (await told(refused)).map((one) => one.msg);
  assert.deepEqual(
    failed.map(({ status, txHash }) => [status, txHash]),
    [['FAILED', undefined]],
  );
  assert.match(failed[0].error.message, /^execution reverted/);
  assert.deepEqual(await told(unheard), []);
});
