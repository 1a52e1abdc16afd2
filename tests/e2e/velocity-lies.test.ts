/** An endpoint that lies beside an honest one gives nothing back that a send has counted. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Send } from '../../src/model/send.ts';
import { wei } from '../activities/velocity-controls/spends.ts';
import { aggregation, velocityControl } from '../activities/velocity-controls/support.ts';
import { CHAIN, hex, startSends } from '../chain-io/sends/evm/support.ts';
import { resultOf } from '../support/client.ts';
import { type Liar, startLiar } from '../support/rpc-liar.ts';
import { waitFor } from '../support/wait.ts';

let [liar, honest] = [] as unknown as [Liar, Liar];
const world = await startSends({
  anvil: ['--no-mining'],
  urls: async ({ url }) => {
    [liar, honest] = [await startLiar(url), await startLiar(url)];
    return `${liar.url},${honest.url}`;
  },
});
after(async () => {
  await world.stop();
  for (const { stop } of [liar, honest]) await stop();
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

/** The state of the entry of a send. */
async function stateOf({ activityId }: Pick<Send, 'activityId'>): Promise<string> {
  const { velocityBuckets } = (await root.query('list_velocity_buckets', { velocityControlId })).body;
  for (const { bucket } of velocityBuckets) {
    const { velocityEntries } = (await root.query('list_velocity_entries', { velocityControlId, bucket })).body;
    const found = velocityEntries.find((entry: { activityId: string }) => entry.activityId === activityId);
    if (found !== undefined) return found.state;
  }
  return 'no entry';
}

const isKnown = async (hash: string) => (await ask<object | null>('eth_getTransactionByHash', hash)) !== null;
const knows = (hash: string) => waitFor('the node has it', () => isKnown(hash));

async function out(to: string, sender?: string) {
  const from = sender ?? (await world.newAccount());
  const calls = [{ to, value: '4' }];
  const fees = { gasLimit: '100000', maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' };
  const answer = await root.submit('ETH_SEND_TRANSACTION_V2', { from, caip2: CHAIN, calls, ...fees });
  const { sendTransactionStatusId } = resultOf(answer, 'ethSendTransactionResultV2');
  const sent = await world.untilState({ id: sendTransactionStatusId }, 'sent');
  await knows(sent.hash);
  return { from, sent };
}

const TO = '0x00000000000000000000000000000000000000aa';

/** Lets minutes pass until the endpoints have had the time to agree. */
const untilGivenUp = (what: string, is: () => Promise<boolean>) =>
  waitFor(
    what,
    () => {
      clock.advance(60_000);
      return is();
    },
    200,
  );

/** Resolves when the node has the transaction that cancels it. */
async function cancels({ id }: Send): Promise<void> {
  const parameters = { sendTransactionStatusId: id, reason: 'wrong' };
  resultOf(await root.submit('COUNTERSIGN_CANCEL_SEND', parameters), 'countersignCancelSendResult');
  await waitFor('the node has the cancel', async () => {
    clock.advance(5_000);
    const newest = (await world.attemptsOf({ id })).at(-1)!;
    return newest.purpose === 'cancel' && isKnown(newest.hash);
  });
}

/** The attempt with its second nonce, once the node has that. */
const movedOn = async (sent: Send) => {
  const found = async () => (await world.attemptsOf(sent)).find(({ nonce }) => nonce === sent.nonce! + 1);
  await untilGivenUp('it has another nonce', async () => (await found()) !== undefined);
  const { hash } = (await found())!;
  await knows(hash);
};

test('a send that one endpoint alone calls failed stays reserved, also when its block is final for long', async () => {
  const { from, sent } = await out(TO);
  liar.lie({ kind: 'reverted' });
  await mine(1);
  const { error } = await world.untilState(sent, 'included');
  assert.notEqual(error, null, 'the lie was not believed, so the test shows nothing');
  await mine(130);
  await waitFor('the lie was told to all', () => liar.asked.filter((one) => one === 'eth_getTransactionReceipt').length > 2);
  assert.equal((await world.read(sent)).state, 'included');
  await mine(200);
  // While one of its account is pending, the account is looked at often.
  await out(TO, from);
  assert.equal((await world.read(sent)).state, 'included');
  await untilGivenUp('it ends', async () => (await world.read(sent)).state === 'final');
  assert.equal(await stateOf(sent), 'RESERVED');
  liar.truth();
});

test('one that all endpoints call failed is released when its block is final for all, also if that comes late', async () => {
  const reverting = `0x${'ee'.repeat(20)}`;
  await ask('anvil_setCode', reverting, '0x60006000fd');
  const { sent } = await out(reverting);
  await mine(1);
  await world.untilState(sent, 'included');
  const head = BigInt(await ask('eth_blockNumber'));
  liar.lie({ kind: 'frozen', block: head });
  await mine(300);
  await waitFor('endpoints are asked', () => liar.asked.length > 0);
  assert.equal(await stateOf(sent), 'RESERVED');
  liar.truth();
  clock.advance(HEADS_MS);
  await world.untilState(sent, 'final');
  await waitFor('it is given back', async () => (await stateOf(sent)) === 'RELEASED');
});

test('one that lost its nonce, and is cancelled with its next one, is released if all endpoints have that', async () => {
  const { from, sent } = await out(TO);
  await ask('anvil_impersonateAccount', from);
  await ask('eth_sendTransaction', {
    from,
    to: from,
    nonce: hex(sent.nonce!),
    gas: hex(21_000),
    gasPrice: hex(100n * 10n ** 9n),
  });
  await mine(1);
  await world.until(sent, ({ blockNumber }) => blockNumber !== null, 'seen to have lost its nonce');
  await mine(200);
  await movedOn(sent);
  await cancels(sent);
  await mine(1);
  await mine(200);
  await world.untilState(sent, 'failed');
  assert.equal(await stateOf(sent), 'RELEASED');
});

test('one whose nonce one endpoint alone calls used is signed again later, and stays reserved if it is cancelled then', async () => {
  const { sent } = await out(TO);
  const methods = ['eth_getTransactionCount'];
  liar.lie({ kind: 'result', result: hex(sent.nonce! + 1) }, { methods });
  honest.lie({ kind: 'error', code: -32000, message: 'busy' }, { methods });
  await ask('anvil_dropTransaction', sent.hash);
  await world.until(sent, ({ blockNumber }) => blockNumber !== null, 'said to have lost its nonce');
  await mine(200);
  const before = honest.asked.length;
  const looks = () => honest.asked.slice(before).filter((one) => one === 'eth_getTransactionReceipt').length;
  await waitFor('it is looked at again', () => looks() > 2);
  assert.equal((await world.attemptsOf(sent)).length, 1, 'it is signed again before all endpoints had the time to agree');
  await movedOn(sent);
  await cancels(sent);
  const [first] = await world.attemptsOf(sent);
  await ask('eth_sendRawTransaction', `0x${first!.signed.toString('hex')}`);
  await mine(1);
  assert.equal(await world.nonceOf(sent.account), sent.nonce! + 2, 'both are mined');
  for (const one of [liar, honest]) one.truth();
  await mine(200);
  await untilGivenUp('it ends', async () => (await world.read(sent)).state === 'failed');
  assert.equal(await stateOf(sent), 'RESERVED');
});
