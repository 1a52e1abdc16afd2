import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wishForSend } from '../../../../src/domain/sends/sends.ts';
import type { Send } from '../../../../src/model/send.ts';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { RECEIVER } from '../../../support/samples.ts';
import { waitFor } from '../../../support/wait.ts';
import { CHAIN, hex, startSends, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startSends();
});
after(() => world.stop());

async function listen(): Promise<void> {
  const subscriptions = [{ eventType: 'SEND_TRANSACTION_STATUS_UPDATES' }];
  const endpoint = { url: RECEIVER, name: 'Receiver', subscriptions };
  resultOf(await world.instance.root.submit('CREATE_WEBHOOK_ENDPOINT', endpoint), 'createWebhookEndpointResult');
}

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
  await listen();

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

/** A contract that reverts in blocks before this one. */
const revertsBefore = (block: number): string => `0x63${block.toString(16).padStart(8, '0')}4310600b57005b60006000fd`;

test(`a send that comes into another block is told again, with its outcome and its transaction there, on ${engineName}`, async () => {
  const { ask, accept, newAccount, attemptsOf, until, untilState, store, instance } = world;
  await listen();
  await ask('evm_setAutomine', false);
  const contract = `0x${'c1'.repeat(20)}`;
  const mined = Number(await ask('eth_blockNumber')) + 3;
  const [one, other] = [await newAccount(), await newAccount()];
  await ask('anvil_setCode', contract, revertsBefore(mined));
  // The reorganization leaves a block that has all of this.
  await ask('anvil_mine', '0x2');
  const untilOut = (send: Send, number: number) =>
    waitFor(`attempt ${number} is out`, async () => {
      const attempt = (await attemptsOf(send)).find((one) => one.number === number);
      return attempt && (await ask('eth_getTransactionByHash', attempt.hash)) !== null && attempt;
    });
  const calls = [{ to: contract, value: '0', data: '0x' }];
  const reverting = await accept(one, { calls, gas: '60000' });
  const replaced = await accept(other, { feesGiven: true });
  const raw = [(await untilOut(reverting, 1)).signed, (await untilOut(replaced, 1)).signed];
  const gwei = 10n ** 9n;
  const fees = { maxFeePerGas: String(30n * gwei), maxPriorityFeePerGas: String(3n * gwei) };
  await store.transaction(async (tx) => {
    const now = instance.clock.now();
    await tx.sendAccounts.makeDue(replaced, now);
    const wish = { what: 'speed-up' as const, activityId: replaced.activityId, reason: 'because', fees };
    assert.ok(await wishForSend(tx, (await tx.sends.get(replaced.organizationId, replaced.id))!, wish, now));
  });
  await untilOut(replaced, 2);
  await ask('anvil_mine', hex(1));
  const before = [await untilState(reverting, 'included'), await untilState(replaced, 'included')];
  assert.deepEqual([before[0]!.blockNumber, before[0]!.error], [mined, null]);

  // Both come a block earlier.
  await ask(
    'anvil_reorg',
    2,
    raw.map((signed) => [`0x${signed.toString('hex')}`, 0]),
  );
  for (const [i, send] of [reverting, replaced].entries())
    await until(send, ({ state, blockHash }) => {
      instance.clock.advance(3_000);
      return state === 'included' && blockHash !== before[i]!.blockHash;
    });
  const [first, second] = (await told(reverting)).filter(({ msg }) => msg.status === 'INCLUDED').map(({ msg }) => msg);
  assert.deepEqual([first.txHash, second.txHash, first.error], [before[0]!.hash, before[0]!.hash, undefined]);
  assert.match(second.error.message, /^execution reverted/);
  assert.notEqual(second.idempotencyKey, first.idempotencyKey);
  const attempts = await attemptsOf(replaced);
  assert.deepEqual(
    (await told(replaced)).map(({ msg }) => [msg.status, msg.txHash]),
    [
      ['BROADCASTING', undefined],
      ['INCLUDED', attempts[1]!.hash],
      ['INCLUDED', attempts[0]!.hash],
    ],
  );
  await ask('evm_setAutomine', true);
});
