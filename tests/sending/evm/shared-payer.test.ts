/** Sends of one account cannot hold up those of others that the same paymaster pays for. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
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
import { engineName } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';

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

const untilState = (id: string, ...states: string[]) =>
  waitFor(`${id} is ${states}`, async () => {
    const row = await rowOf(id);
    return states.includes(row.state) && row;
  });

const isKnown = async (hash: string) => (await ask('eth_getTransactionByHash', hash)) !== null;

test(`one that may not pay what blocks ask now makes way for the others, and lands later, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('evm_setAutomine', false);
  const cheap = await accept(from, { gasLimit: '300000' });
  await untilState(cheap, 'sent');
  const [first] = await attemptsOf(cheap);
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
  const dear = await accept(other, { gasLimit: '300000' });
  await untilState(dear, 'sent');
  const noop = await waitFor('it makes way', async () => {
    instance.clock.advance(1_000);
    return (await attemptsOf(cheap)).find(({ purpose }) => purpose === 'cancel');
  });
  await waitFor('it is out', async () => isKnown(noop.hash));
  await mine();
  await untilState(dear, 'included');
  assert.equal((await rowOf(cheap)).state, 'sent');
  await setBaseFee(4n * most);
  await mine(100);
  await setBaseFee(4n * most);
  await mine();
  await untilState(cheap, 'queued');
  await setBaseFee(GWEI);
  await mine();
  await ask('evm_setAutomine', true);
  await waitFor('it lands', async () => {
    await mine();
    instance.clock.advance(5_000);
    return ['included', 'final'].includes((await rowOf(cheap)).state);
  });
  assert.equal((await rowOf(cheap)).error, null);
});

test(`a message that comes into another block ends no other of its account, on ${engineName}`, async () => {
  const from = await newAccount(world, root, 0n);
  await ask('evm_setAutomine', false);
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
  await ask('anvil_reorg', 1, [[`0x${attempt!.signed.toString('hex')}`, 0]]);
  await waitFor('it is in another block', async () => {
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
