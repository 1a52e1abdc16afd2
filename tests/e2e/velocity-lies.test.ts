/** An endpoint that lies beside an honest one gives nothing back that a send has counted. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { wei } from '../activities/velocity-controls/spends.ts';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { CHAIN, hex, startSends } from '../chain-io/sends/evm/support.ts';
import { resultOf } from '../support/client.ts';
import { type Liar, startLiar } from '../support/rpc-liar.ts';
import { waitFor } from '../support/wait.ts';

let liar!: Liar;
const world = await startSends({
  anvil: ['--no-mining'],
  urls: async ({ url }) => {
    liar = await startLiar(url);
    return `${liar.url},${url}`;
  },
});
after(async () => {
  await world.stop();
  await liar.stop();
});
const { root, clock } = world.instance;
const { ask } = world;
const mine = async (blocks: number) => {
  await ask('anvil_mine', hex(blocks));
  clock.advance(5_000);
};
const HEADS_MS = 4_000;

const parameters = velocityControl({
  identifier: 'limit',
  dataSource: { chainAssetTransfer: { definition: [{ caip19: `${CHAIN}/slip44:60`, decimals: '18' }] } },
  aggregation: aggregation({ threshold: wei(10n) }),
  countersign: { enforcement: 'ALWAYS', groupBy: 'signer' },
});
const { velocityControlId } = resultOf(
  await root.submit('CREATE_VELOCITY_CONTROL', parameters),
  'createVelocityControlResult',
) as { velocityControlId: string };

const activities = new Map<string, string>();

async function stateOf(account: string): Promise<string> {
  const { velocityBuckets } = (await root.query('list_velocity_buckets', { velocityControlId })).body;
  for (const { bucket } of velocityBuckets) {
    const { velocityEntries } = (await root.query('list_velocity_entries', { velocityControlId, bucket })).body;
    if (velocityEntries[0].activityId === activities.get(account)) return velocityEntries[0].state;
  }
  return 'no entry';
}

async function out(to: string) {
  const from = await world.newAccount();
  const calls = [{ to, value: '4' }];
  const fees = { gasLimit: '100000', maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' };
  const answer = await root.submit('ETH_SEND_TRANSACTION_V2', { from, caip2: CHAIN, calls, ...fees });
  const { sendTransactionStatusId } = resultOf(answer, 'ethSendTransactionResultV2');
  activities.set(from, answer.body.activity.id);
  const sent = await world.untilState({ id: sendTransactionStatusId }, 'sent');
  await waitFor('the node has it', async () => (await ask('eth_getTransactionByHash', sent.hash)) !== null);
  return { from, sent };
}

test('a send that one endpoint alone calls failed stays reserved, also when its block is final for long', async () => {
  const { from, sent } = await out('0x00000000000000000000000000000000000000aa');
  liar.lie({ kind: 'reverted' });
  await mine(1);
  const { error } = await world.untilState(sent, 'included');
  assert.notEqual(error, null, 'the lie was not believed, so the test shows nothing');
  await mine(130);
  await waitFor('the lie was told to all', () => liar.asked.filter((one) => one === 'eth_getTransactionReceipt').length > 2);
  assert.equal((await world.read(sent)).state, 'included');
  await mine(200);
  await world.untilState(sent, 'final');
  assert.equal(await stateOf(from), 'RESERVED');
  liar.truth();
});

test('one that all endpoints call failed is released when its block is final for all', async () => {
  const reverting = `0x${'ee'.repeat(20)}`;
  await ask('anvil_setCode', reverting, '0x60006000fd');
  const { from, sent } = await out(reverting);
  await mine(1);
  await world.untilState(sent, 'included');
  const head = BigInt(await ask('eth_blockNumber'));
  liar.lie({ kind: 'frozen', block: head });
  await mine(100);
  await waitFor('endpoints are asked', () => liar.asked.length > 0);
  assert.equal(await stateOf(from), 'RESERVED');
  liar.truth();
  clock.advance(HEADS_MS);
  await world.untilState(sent, 'final');
  await waitFor('it is given back', async () => (await stateOf(from)) === 'RELEASED');
});
