/** The cancel of a sponsored send, where neither the operator nor the organization pays more than the send itself. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  CHAIN,
  FRIEND,
  idOf,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
} from '../../../activities/sending/eth-support.ts';
import { resultOf } from '../../../support/client.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
import { costs } from './costs.ts';

const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING, SEND_FEE_LIMIT_PERCENT: '100' });
const { root } = instance;
await sponsoring(world, instance);
const { attemptsOf, reserved, costOf } = costs(world, instance);

const transactionOf = (hash: string) =>
  rpc<{ input: string; maxFeePerGas: string } | null>(world.anvil.url, 'eth_getTransactionByHash', [hash]);

test('it outbids the send and voids its message, though sponsoring is switched off and its limits have no room', async () => {
  const from = await newAccount(world, root, 0n);
  await world.admin.setAutomine(false);
  const parameters = { from, caip2: CHAIN, sponsor: true, calls: [{ to: FRIEND, data: '0x' }] };
  const id = idOf(await root.submit('ETH_SEND_TRANSACTION_V2', parameters));
  const sent = await waitFor('it is out', async () => {
    const [attempt] = await attemptsOf(id);
    return attempt && transactionOf(attempt.hash);
  });
  const limits = { orgWindowLimitUsd: '0.000001', subOrgWindowLimitUsd: '0', windowDurationMinutes: '60', enabled: false };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', limits), 'upsertGasUsageConfigResult');
  const answer = await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: id, reason: 'a test' });
  resultOf(answer, 'countersignCancelSendResult');
  const cancel = await waitFor('its cancel is out', async () => {
    const newest = (await attemptsOf(id)).at(-1)!;
    return newest.purpose === 'cancel' && transactionOf(newest.hash);
  });
  assert.ok(cancel.input.startsWith('0x195e307b'), cancel.input);
  assert.equal(BigInt(cancel.maxFeePerGas), (BigInt(sent.maxFeePerGas) * 1125n) / 1000n + 1n);
  await world.admin.mine({ blocks: 200 });
  const { error } = await waitFor('it failed', async () => {
    const row = await sendOf(instance, root, id);
    return row.state === 'failed' && row;
  });
  assert.equal(error!.message, `cancelled by activity ${answer.body.activity.id}: a test`);
  assert.deepEqual(await costOf(id), [await reserved(id), 1]);
});
