/** Sends of one account cannot hold up those of others that the same paymaster pays for. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Hex, parseTransaction } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../../src/chains/ethereum/delegation.ts';
import { formatUsd, microUsdOf } from '../../../../src/model/gas.ts';
import {
  CHAIN,
  dataOf,
  idOf,
  landed,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
} from '../../../activities/sending/eth-support.ts';
import { resultOf } from '../../../support/client.ts';
import { engineName } from '../../../support/database.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
import { costs, PRICE } from './costs.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING });
const { root } = instance;
await sponsoring(world, instance);
const target = await world.deploy('Target');

const sponsored = (from: Hex, more: object = {}) => ({
  from,
  caip2: CHAIN,
  sponsor: true,
  calls: [{ to: target, data: dataOf('Target', 'add', [1n]) }],
  ...more,
});
const ask = (method: string, ...params: unknown[]) => rpc(world.anvil.url, method, params);
const accept = async (from: Hex, more: object = {}) => idOf(await root.submit(TYPE, sponsored(from, more)));

test(`a message nonce that no row can hold fails its send, and no other, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('anvil_setStorageAt', from, MESSAGE_NONCE_SLOT, `0x${'00'.repeat(16)}${'ff'.repeat(16)}`);
  const id = await accept(from, { gasLimit: '300000' });
  assert.equal((await landed(root, await accept(other))).txStatus, 'INCLUDED');
  const status = await landed(root, id);
  assert.equal(status.txStatus, 'FAILED');
  assert.match(status.txError, /nonce/);
});

const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const GWEI = 10n ** 9n;
const mine = (blocks = 1) => ask('anvil_mine', hex(blocks));
const setBaseFee = (wei: bigint) => ask('anvil_setNextBlockBaseFeePerGas', hex(wei));
const rowOf = (id: string, client = root) => sendOf(instance, client, id);
const { attemptsOf, reserved, costOf, metric } = costs(world, instance);

const untilState = (id: string, ...states: string[]) =>
  waitFor(`${id} is ${states}`, async () => {
    const row = await rowOf(id);
    return states.includes(row.state) && row;
  });

const isKnown = async (hash: string) => (await ask('eth_getTransactionByHash', hash)) !== null;

/** Another party saw the first transaction of a send and makes its very call. */
async function replay(id: string, more: object = {}): Promise<Hex> {
  const [first] = await attemptsOf(id);
  const { to, data, authorizationList } = parseTransaction(`0x04${first!.signed.toString('hex').slice(2)}`);
  const [thief] = (await ask('eth_accounts')) as string[];
  const authorizations = authorizationList!.map(({ address, chainId, nonce, yParity, r, s }) => {
    const [chain, at, parity] = [chainId, nonce, yParity!].map(hex);
    return { address, chainId: chain, nonce: at, yParity: parity, r, s };
  });
  const made = { from: thief, to, data, gas: '0x7a120', authorizationList: authorizations, ...more };
  return (await ask('eth_sendTransaction', made)) as Hex;
}

async function succeeded(hash: string): Promise<boolean> {
  const receipt = await waitFor(
    'it is in a block',
    async () => (await ask('eth_getTransactionReceipt', hash)) as { status: string },
  );
  return receipt.status === '0x1';
}

test(`one that may not pay what blocks ask now makes way for the others, and lands later, on ${engineName}`, async () => {
  const [other, from, ...more] = await Promise.all(Array.from({ length: 4 }, () => newAccount(world, root, 0n)));
  const before: bigint = await world.view('Target', target, 'total');
  await ask('evm_setAutomine', false);
  const cheap = await accept(from!, { gasLimit: '300000' });
  const [stolen, regretted] = [await accept(more[0]!, { gasLimit: '300000' }), await accept(more[1]!, { gasLimit: '300000' })];
  const poor = (await instance.newSubOrganization('Poor', 1, 1)).clients[0]!;
  const late = idOf(await poor.submit(TYPE, sponsored(await newAccount(world, poor, 0n), { gasLimit: '300000' })));
  for (const id of [cheap, stolen, regretted]) await untilState(id, 'sent');
  const outOf = () => Promise.all([...[cheap, stolen, regretted].map((id) => attemptsOf(id)), attemptsOf(late, poor)]);
  const first = await waitFor('all are out', async () => {
    const attempts = (await outOf()).map(([one]) => one);
    return (await Promise.all(attempts.map((one) => one && isKnown(one.hash)))).every((known) => known) && attempts[0]!;
  });
  const fees = first!.fees as { maxFeePerGas: string };
  const most = 3n * BigInt(fees.maxFeePerGas);
  await setBaseFee(4n * most);
  await mine();
  // Prices are asked for once a second.
  await waitFor('the service knows', async () => {
    const node = instance.engine.nodes.chainNode(CHAIN)!;
    const prices = node.kind === 'eip155' ? await node.prices() : undefined;
    return prices?.kind === 'eip1559' && prices.baseFee > most;
  });
  // Its organization has no room from now on for more than it has reserved.
  const limits = { subOrgWindowLimitUsd: '0.000001', orgWindowLimitUsd: '1000', windowDurationMinutes: '60', enabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', limits), 'upsertGasUsageConfigResult');
  const dear = await accept(other!, { gasLimit: '300000' });
  await untilState(dear, 'sent');
  await waitFor('they make way', async () => {
    instance.clock.advance(1_000);
    const all = await outOf();
    const noops = all.map((attempts) => attempts.find(({ purpose }) => purpose === 'cancel'));
    return (await Promise.all(noops.map(async (noop) => noop && isKnown(noop.hash)))).every((known) => known);
  });
  await mine();
  await untilState(dear, 'included');
  assert.equal((await rowOf(cheap)).state, 'sent');
  await setBaseFee(4n * most);
  await mine(100);
  await setBaseFee(4n * most);
  await mine();
  for (const id of [cheap, stolen, regretted]) await untilState(id, 'queued');
  const [ofNoop] = await costOf(cheap);
  assert.equal(microUsdOf(BigInt((await rowOf(cheap)).spent), PRICE), ofNoop);
  const ownMost = microUsdOf(300_000n * most, PRICE);
  assert.ok((await reserved(cheap)) >= ofNoop + ownMost - 1, 'there is room for it to come again');
  // Their messages are still good. Another party brings one, and one is cancelled.
  const fees20 = { maxFeePerGas: hex(20n * most), maxPriorityFeePerGas: '0x1' };
  const theirs = await replay(stolen, fees20);
  await setBaseFee(4n * most);
  await mine();
  assert.ok(await succeeded(theirs));
  const answer = await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: regretted, reason: 'too dear' });
  resultOf(answer, 'countersignCancelSendResult');
  assert.equal((await rowOf(regretted)).state, 'queued');
  await setBaseFee(GWEI);
  await mine();
  await ask('evm_setAutomine', true);
  await waitFor('they are over', async () => {
    await mine(20);
    instance.clock.advance(5_000);
    const rows = await Promise.all([...[cheap, stolen, regretted].map((id) => rowOf(id)), rowOf(late, poor)]);
    const states = rows.map(({ state }) => state);
    return (
      states[3] === 'failed' && ['included', 'final'].includes(states[0]!) && states[1] === 'failed' && states[2] === 'failed'
    );
  });
  assert.equal((await rowOf(cheap)).error, null);
  assert.match((await rowOf(stolen)).error!.message, /another party submitted its message.*may have been executed/);
  assert.equal((await rowOf(regretted)).error!.message, `cancelled by activity ${answer.body.activity.id}: too dear`);
  assert.equal(await succeeded(await replay(regretted)), false);
  assert.match((await rowOf(late, poor)).error!.message, /^it is not signed again: .* its limits have no room/);
  // Each transaction counts for the send that it was made for.
  const counted = { cheap: [2, await costOf(cheap)], stolen: [1, await costOf(stolen)], regretted: [2, await costOf(regretted)] };
  for (const [name, [transactions, [cost, landed]]] of Object.entries(counted) as [string, [number, [number, number]]][]) {
    const id = { cheap, stolen, regretted }[name]!;
    assert.deepEqual([landed, await reserved(id)], [transactions, cost], name);
  }
  assert.deepEqual(await costOf(late, poor), [await reserved(late, poor), 1]);
  assert.ok((await reserved(late, poor)) > 1, 'what is spent counts above the limit');
  assert.equal((await poor.query('get_gas_usage')).body.usageUsd, formatUsd(await reserved(late, poor)));
  await waitFor('they made way', async () => (await metric('countersign_sends_total', 'event="made way"')) === 4);
  assert.equal(await metric('countersign_sends_total', 'event="nonce lost"'), 0);
  assert.ok((await metric('countersign_paymaster_noop_coins_total', 'purpose="made way"')) > 0);
  assert.equal((await world.view('Target', target, 'total')) - before, 3n, 'each once, but for the one that was cancelled');
});

test(`a message that comes into another block ends no other of its account, on ${engineName}`, async () => {
  const from = await newAccount(world, root, 0n);
  await ask('evm_setAutomine', false);
  await mine();
  const first = await accept(from, { gasLimit: '300000' });
  const [attempt] = await waitFor('it is out', async () => {
    const all = await attemptsOf(first);
    return all.length > 0 && (await isKnown(all[0]!.hash)) && all;
  });
  await mine();
  const { blockHash } = await untilState(first, 'included');
  const second = await accept(from, { gasLimit: '300000' });
  await waitFor('it waits in the pool', async () => {
    instance.clock.advance(1_000);
    const all = await attemptsOf(second);
    return all.length > 0 && (await isKnown(all[0]!.hash));
  });
  // It comes a block earlier. In a block of the same number and the same second, that block would be the same one.
  await ask('anvil_reorg', 2, [[`0x${attempt!.signed.toString('hex')}`, 0]]);
  await waitFor('it is in another block', async () => {
    instance.clock.advance(3_000);
    const row = await rowOf(first);
    return row.state === 'included' && row.blockHash !== blockHash;
  });
  const accountNow = () => instance.engine.store.read.sendAccounts.get({ caip2: CHAIN, account: from.toLowerCase() });
  const account = await accountNow();
  assert.equal((await rowOf(second)).state, 'sent');
  assert.deepEqual([account!.messages, account!.knownNonce], [1, 1]);
  await mine();
  await untilState(second, 'included');
  // Its block falls out: the settled cost may be wrong.
  const settled = await reserved(second);
  await ask('anvil_reorg', 1, []);
  await waitFor('it is out again', async () => {
    instance.clock.advance(3_000);
    return (await rowOf(second)).state === 'sent';
  });
  assert.ok((await reserved(second)) > settled);
  assert.equal((await accountNow())!.knownNonce, null);
  await waitFor('it lands', async () => {
    instance.clock.advance(2_000);
    await mine();
    return (await rowOf(second)).state === 'included';
  });
  assert.deepEqual(await costOf(second), [await reserved(second), 1]);
  await ask('evm_setAutomine', true);
});

test(`the paymaster's balance suffices, but not for all pending sends together: a send waits its turn, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('evm_setAutomine', false);
  const first = await accept(from);
  await untilState(first, 'sent');
  await waitFor('it is out', async () => isKnown((await rowOf(first)).hash));
  const message = 'insufficient funds for gas * price + value: balance 9, queued cost 8, tx cost 7, overshot 6';
  world.liar.lie({ kind: 'error', code: -32000, message }, { methods: ['eth_sendRawTransaction'], times: 1 });
  const second = await accept(other);
  await waitFor('it is refused', async () => (await attemptsOf(second)).some(({ said }) => said === message));
  assert.deepEqual([(await rowOf(second)).state, (await rowOf(second)).error], ['sent', null]);
  await mine();
  await untilState(first, 'included');
  await waitFor('it lands', async () => {
    instance.clock.advance(2_000);
    await mine();
    return ['included', 'final'].includes((await rowOf(second)).state);
  });
  assert.equal((await attemptsOf(second)).length, 1);
  await ask('evm_setAutomine', true);
});
