/** Activities that cancel and speed up, carried out on a chain that makes blocks when it is told to. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Send } from '../../../../src/model/send.ts';
import { resultOf } from '../../../support/client.ts';
import { waitFor } from '../../../support/wait.ts';
import { startSends } from './support.ts';

const world = await startSends({ anvil: ['--no-mining'] });
after(() => world.stop());
const { root } = world.instance;
const GWEI = 10n ** 9n;

const mine = (blocks = 1) => world.ask('anvil_mine', `0x${blocks.toString(16)}`);
const wish = (type: string, { id }: Send, more: object = {}) =>
  root.submit(`COUNTERSIGN_${type}_SEND`, { sendTransactionStatusId: id, reason: 'a test', ...more });
const statusOf = async ({ id }: Send) => (await root.query('get_send_transaction_status', { sendTransactionStatusId: id })).body;

/** In the pool of the node. */
const isWaiting = async (hash: string) => (await world.ask<object | null>('eth_getTransactionByHash', hash)) !== null;

async function waiting(from: string): Promise<Send> {
  const send = await world.untilState(await world.accept(from), 'sent');
  await waitFor('the node has it', () => isWaiting(send.hash));
  return send;
}

/** Its newest transaction is another one than before, and the node has it. */
async function replaced(send: Send): Promise<{ hash: string; purpose: string; fees: Record<string, string> }> {
  return waitFor('the node has another one', async () => {
    const { hash, purpose, fees } = (await world.attemptsOf(send)).at(-1)!;
    return hash !== send.hash && (await isWaiting(hash)) && { hash, purpose, fees: fees as never };
  });
}

test('speeding up replaces the transaction by the same one with the given fees', async () => {
  const send = await waiting(await world.newAccount());
  assert.equal((await statusOf(send)).txStatus, 'BROADCASTING');
  const fees = { maxFeePerGas: String(40n * GWEI), maxPriorityFeePerGas: String(5n * GWEI) };
  resultOf(await wish('SPEED_UP', send, fees), 'countersignSpeedUpSendResult');
  const next = await replaced(send);
  assert.deepEqual([next.purpose, next.fees], ['send', fees]);
  await mine();
  const { hash } = await world.untilState(send, 'included');
  assert.equal(hash, next.hash);
  assert.deepEqual(await statusOf(send), { txStatus: 'INCLUDED', eth: { txHash: next.hash } });
});

test('without fees it pays a tenth more at least', async () => {
  const send = await waiting(await world.newAccount());
  resultOf(await wish('SPEED_UP', send), 'countersignSpeedUpSendResult');
  const { fees } = await replaced(send);
  assert.ok(
    BigInt(fees.maxFeePerGas!) >= 22n * GWEI && BigInt(fees.maxPriorityFeePerGas!) >= (11n * GWEI) / 10n,
    JSON.stringify(fees),
  );
  await mine();
  await world.untilState(send, 'included');
});

test('a cancelled send fails once the transaction with its nonce is final, with the caller and the reason', async () => {
  const from = await world.newAccount();
  const send = await waiting(from);
  const answer = await wish('CANCEL', send);
  resultOf(answer, 'countersignCancelSendResult');
  const next = await replaced(send);
  assert.equal(next.purpose, 'cancel');
  assert.equal((await statusOf(send)).txStatus, 'BROADCASTING');
  await mine();
  assert.equal(await world.nonceOf(from), 1);
  await mine(200);
  await world.untilState(send, 'failed');
  const message = `cancelled by activity ${answer.body.activity.id}: a test`;
  assert.deepEqual(await statusOf(send), { txStatus: 'FAILED', txError: message, error: { message, revertChain: [] } });
  // Its nonce is used up, and later sends are not held up.
  const later = await waiting(from);
  await mine();
  await world.untilState(later, 'included');
});

test('a cancellation that comes too late changes nothing', async () => {
  const send = await waiting(await world.newAccount());
  await mine();
  await world.untilState(send, 'included');
  const answer = await wish('CANCEL', send);
  assert.deepEqual([answer.status, answer.body.message.includes('its transaction is already mined')], [400, true]);
});
