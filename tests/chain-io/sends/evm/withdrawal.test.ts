/** `countersign chain withdraw` stores a send of the paymaster's lane, which blocks no other send. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { readConfig } from '../../../../src/config.ts';
import { giveEvm, lookEvm, makeEvm } from '../../../../src/operator/withdraw/evm.ts';
import { WITHDRAWING_ORGANIZATION } from '../../../../src/operator/withdraw/quote.ts';
import { openWithdrawal, tell } from '../../../../src/operator/withdraw/stored.ts';
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
import { engineName } from '../../../support/database.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';

const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING });
const { root } = instance;
await sponsoring(world, instance);

const GWEI = 10n ** 9n;
const ask = (method: string, ...params: unknown[]) => rpc(world.anvil.url, method, params);
const hex = (value: bigint | number) => `0x${value.toString(16)}`;
const mine = (blocks = 1) => ask('anvil_mine', hex(blocks));
const setBaseFee = (wei: bigint) => ask('anvil_setNextBlockBaseFeePerGas', hex(wei));
const isKnown = async (hash: string) => (await ask('eth_getTransactionByHash', hash)) !== null;
const rowOf = (id: string) => sendOf(instance, root, id);

async function accept(from: Hex): Promise<string> {
  const calls = [{ to: FRIEND, value: '0' }];
  return idOf(await root.submit('ETH_SEND_TRANSACTION_V2', { from, caip2: CHAIN, sponsor: true, gasLimit: '300000', calls }));
}

const untilState = (id: string, ...states: string[]) =>
  waitFor(`${id} is ${states}`, async () => states.includes((await rowOf(id)).state));

/** As `countersign chain withdraw` does, which other processes run. */
async function withdrawal(at: string) {
  const { store, clock, ids, vault, nodes } = instance.engine;
  const node = nodes.chainNode(CHAIN)!;
  assert.ok(node.kind === 'eip155');
  const parts = { store, clock, ids, config: readConfig({ DATA_DIR: instance.dataDir }), paymaster: vault.paymaster };
  const wish = { to: '0x00000000000000000000000000000000000000bb', amount: GWEI };
  const stored = await makeEvm(node, parts, wish, { by: 'somebody', at, isAll: false });
  const rowOf = async () => (await store.read.sends.get(WITHDRAWING_ORGANIZATION, stored.sendId))!;
  const account = { caip2: CHAIN, account: vault.paymaster.address('eip155'), kind: 'evm' as const };
  const told = () => store.transaction((tx) => tell(tx, account, stored));
  const open = () => openWithdrawal(store.read, CHAIN);
  return { stored, rowOf, told, open, give: () => giveEvm(node, parts, stored), look: () => lookEvm(node, stored) };
}

const untilFailed = (row: () => Promise<{ state: string; error: object | null }>) =>
  waitFor('it failed', async () => {
    await mine(50);
    instance.clock.advance(5_000);
    const { state, error } = await row();
    return state === 'failed' && (error as { message: string }).message;
  });

let first: Awaited<ReturnType<typeof withdrawal>>;

test(`a withdrawal takes the account from its worker, and makes way if blocks do not take it, on ${engineName}`, async () => {
  const [from, other] = [await newAccount(world, root, 0n), await newAccount(world, root, 0n)];
  await ask('evm_setAutomine', false);
  const send = await accept(from);
  await untilState(send, 'sent');
  const made = await withdrawal('1');
  const [row, before] = [await made.rowOf(), await rowOf(send)];
  assert.deepEqual([row.state, row.nonce], ['sent', before.nonce! + 1]);
  assert.deepEqual((await withdrawal('2')).stored, made.stored, 'the second one finds the first');
  await mine();
  await untilState(send, 'included');
  // Its process died before it gave the transaction to a node. The worker does.
  await waitFor('it is out', async () => {
    instance.clock.advance(1_000);
    return isKnown(made.stored.hash);
  });
  const most = BigInt((row.intent as { fees: { maxFeePerGas: string } }).fees.maxFeePerGas);
  await setBaseFee(2n * most);
  await mine();
  await waitFor('the service knows', async () => {
    const node = instance.engine.nodes.chainNode(CHAIN)!;
    const prices = node.kind === 'eip155' ? await node.prices() : undefined;
    return prices?.kind === 'eip1559' && prices.baseFee > most;
  });
  const second = await accept(other);
  await waitFor('it lands', async () => {
    instance.clock.advance(1_000);
    await setBaseFee(2n * most);
    await mine();
    return (await rowOf(second)).state === 'included';
  });
  assert.match(await untilFailed(made.rowOf), /another transaction of 0x[0-9a-f]{40} with the nonce \d+ is in a block/);
  assert.deepEqual(await made.look(), { is: 'waiting' });
  await made.told();
  first = made;
});

test(`a withdrawal that no node takes blocks no other send, on ${engineName}`, async () => {
  const from = await newAccount(world, root, 0n);
  const message = 'intrinsic gas too low';
  world.liar.lie({ kind: 'error', code: -32000, message }, { methods: ['eth_sendRawTransaction'] });
  const made = await withdrawal('3');
  // The command that followed the first one sees its end only now, and leaves this one as it is.
  await first.told();
  assert.equal((await made.open())?.sendId, made.stored.sendId);
  await made.give();
  world.liar.truth();
  const next = await accept(from);
  await waitFor('it lands', async () => {
    instance.clock.advance(1_000);
    await mine();
    return ['included', 'final'].includes((await rowOf(next)).state);
  });
  assert.equal(await untilFailed(made.rowOf), `every node refused it: ${message}`);
  assert.equal(await isKnown(made.stored.hash), false);
  await made.told();
  await ask('evm_setAutomine', true);
});
