/** Sends of one account cannot hold up those of others that the same paymaster pays for. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Hex, parseTransaction } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../src/chains/ethereum/delegation.ts';
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
} from '../../activities/sending/eth-support.ts';
import { resultOf } from '../../support/client.ts';
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { rpc } from '../../support/rpc-liar.ts';

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
const rowOf = (id: string) => sendOf(instance, root, id);
const attemptsOf = (id: string) => instance.engine.store.read.sendAttempts.ofSend(root.organizationId, id);

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 1500; tries++) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not yet: ${what}`);
}

const untilState = (id: string, ...states: string[]) =>
  until(`${id} is ${states}`, async () => {
    const row = await rowOf(id);
    return states.includes(row.state) && row;
  });

const isKnown = async (hash: string) => (await ask('eth_getTransactionByHash', hash)) !== null;

/** Somebody who saw the first transaction of a send makes its very call. */
async function replay(id: string, more: object = {}): Promise<string> {
  const [first] = await attemptsOf(id);
  const { to, data, authorizationList } = parseTransaction(`0x04${first!.signed.toString('hex').slice(2)}`);
  const [thief] = (await ask('eth_accounts')) as string[];
  const authorizations = authorizationList!.map(({ address, chainId, nonce, yParity, r, s }) => {
    const [chain, at, parity] = [chainId, nonce, yParity!].map(hex);
    return { address, chainId: chain, nonce: at, yParity: parity, r, s };
  });
  const made = { from: thief, to, data, gas: '0x7a120', authorizationList: authorizations, ...more };
  return (await ask('eth_sendTransaction', made)) as string;
}

const succeeded = async (hash: string) => ((await ask('eth_getTransactionReceipt', hash)) as { status: string }).status === '0x1';

test(`one that may not pay what blocks ask now makes way for the others, and lands later, on ${engineName}`, async () => {
  const [other, from, ...more] = await Promise.all(Array.from({ length: 4 }, () => newAccount(world, root, 0n)));
  const before: bigint = await world.view('Target', target, 'total');
  await ask('evm_setAutomine', false);
  const cheap = await accept(from!, { gasLimit: '300000' });
  const [stolen, regretted] = [await accept(more[0]!, { gasLimit: '300000' }), await accept(more[1]!, { gasLimit: '300000' })];
  for (const id of [cheap, stolen, regretted]) await untilState(id, 'sent');
  const first = await until('all are out', async () => {
    const attempts = (await Promise.all([cheap, stolen, regretted].map(attemptsOf))).map(([one]) => one!);
    return (await Promise.all(attempts.map(({ hash }) => isKnown(hash)))).every((known) => known) && attempts[0];
  });
  const fees = first!.fees as { maxFeePerGas: string };
  const most = 3n * BigInt(fees.maxFeePerGas);
  await setBaseFee(4n * most);
  await mine();
  // Prices are asked for once a second.
  await until('the service knows', async () => {
    const node = instance.engine.nodes.chainNode(CHAIN)!;
    const prices = node.kind === 'eip155' ? await node.prices() : undefined;
    return prices?.kind === 'eip1559' && prices.baseFee > most;
  });
  const dear = await accept(other!, { gasLimit: '300000' });
  await untilState(dear, 'sent');
  await until('they make way', async () => {
    instance.clock.advance(1_000);
    const all = await Promise.all([cheap, stolen, regretted].map(attemptsOf));
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
  // Their messages are still good. One is brought by somebody else, and one is cancelled.
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
  await until('they are over', async () => {
    await mine(20);
    instance.clock.advance(5_000);
    const states = (await Promise.all([cheap, stolen, regretted].map(rowOf))).map(({ state }) => state);
    return ['included', 'final'].includes(states[0]!) && states[1] === 'failed' && states[2] === 'failed';
  });
  assert.equal((await rowOf(cheap)).error, null);
  assert.match((await rowOf(stolen)).error!.message, /brought before by somebody else.*may have been carried out/);
  assert.equal((await rowOf(regretted)).error!.message, `cancelled by activity ${answer.body.activity.id}: too dear`);
  assert.equal(await succeeded(await replay(regretted)), false);
  assert.equal((await world.view('Target', target, 'total')) - before, 3n, 'each once, but for the one that was cancelled');
});

test(`a message that comes into another block ends no other of its account, on ${engineName}`, async () => {
  const from = await newAccount(world, root, 0n);
  await ask('evm_setAutomine', false);
  const first = await accept(from, { gasLimit: '300000' });
  const [attempt] = await until('it is out', async () => {
    const all = await attemptsOf(first);
    return all.length > 0 && (await isKnown(all[0]!.hash)) && all;
  });
  await mine();
  const { blockHash } = await untilState(first, 'included');
  const second = await accept(from, { gasLimit: '300000' });
  await until('it waits in the pool', async () => {
    instance.clock.advance(1_000);
    const all = await attemptsOf(second);
    return all.length > 0 && (await isKnown(all[0]!.hash));
  });
  await ask('anvil_reorg', 1, [[`0x${attempt!.signed.toString('hex')}`, 0]]);
  await until('it is in another block', async () => {
    instance.clock.advance(3_000);
    const row = await rowOf(first);
    return row.state === 'included' && row.blockHash !== blockHash;
  });
  const account = await instance.engine.store.read.sendAccounts.get({ caip2: CHAIN, account: from.toLowerCase() });
  assert.equal((await rowOf(second)).state, 'sent');
  assert.equal(account!.messages, 1);
  await mine();
  await untilState(second, 'included');
  await ask('evm_setAutomine', true);
});

test(`what the paymaster has suffices, but not for all that waits at once: a send waits its turn, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('evm_setAutomine', false);
  const first = await accept(from);
  await untilState(first, 'sent');
  await until('it is out', async () => isKnown((await rowOf(first)).hash));
  const message = 'insufficient funds for gas * price + value: balance 9, queued cost 8, tx cost 7, overshot 6';
  world.liar.lie({ kind: 'error', code: -32000, message }, { methods: ['eth_sendRawTransaction'], times: 1 });
  const second = await accept(other);
  await until('it is refused', async () => (await attemptsOf(second)).some(({ said }) => said === message));
  assert.deepEqual([(await rowOf(second)).state, (await rowOf(second)).error], ['sent', null]);
  await mine();
  await untilState(first, 'included');
  await until('it lands', async () => {
    instance.clock.advance(2_000);
    await mine();
    return ['included', 'final'].includes((await rowOf(second)).state);
  });
  assert.equal((await attemptsOf(second)).length, 1);
  await ask('evm_setAutomine', true);
});
