/** A user of one organization who wants to hold up the paymaster for all others. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../../src/chains/ethereum/delegation.ts';
import { gasSettings } from '../../../../src/settings/gas.ts';
import {
  CHAIN,
  FRIEND,
  idOf,
  landed,
  newAccount,
  SPONSORING,
  sendingWorld,
  sendOf,
  sponsoring,
} from '../../../activities/sending/eth-support.ts';
import { ethereumAccount, resultOf } from '../../../support/client.ts';
import { sharedInstance } from '../../../support/instance.ts';
import { refused, refusesEach } from '../../../support/refusals.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
import { newTopLevel } from '../../../support/world/homes.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING });
const { root } = instance;
await sponsoring(world, instance);

const sponsored = async (from: Hex, more: object = {}): Promise<string> =>
  idOf(await root.submit(TYPE, { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1' }], sponsor: true, ...more }));

/** Its transaction, once the node has it. */
async function inPool(id: string): Promise<{ to: string; input: string }> {
  return waitFor('the node has it', async () => {
    const { hash } = await sendOf(instance, root, id);
    return hash !== '' && rpc<{ to: string; input: string } | null>(world.anvil.url, 'eth_getTransactionByHash', [hash]);
  });
}

/** Resolves once the node has the transaction that takes its nonce. */
async function cancelInPool(id: string): Promise<void> {
  await waitFor('the node has what cancels it', async () => {
    const newest = (await instance.engine.store.read.sendAttempts.ofSend(root.organizationId, id)).at(-1);
    return newest?.purpose === 'cancel' && rpc(world.anvil.url, 'eth_getTransactionByHash', [newest.hash]);
  });
}

/** A send of another account lands all the same. */
async function othersLand(): Promise<void> {
  const other = await landed(root, await sponsored(await newAccount(world, root)));
  assert.equal(other.txStatus, 'INCLUDED', JSON.stringify(other));
}

test('an account whose message nonce cannot be counted on fails alone', async () => {
  for (const nonce of [(1n << 128n) - 1n, (1n << 53n) - 1n, 1n << 64n]) {
    const from = await newAccount(world, root);
    const value = `0x${nonce.toString(16).padStart(64, '0')}` as Hex;
    await world.admin.setStorageAt({ address: from, index: MESSAGE_NONCE_SLOT, value });
    const id = await sponsored(from);
    await othersLand();
    const { txStatus, txError } = await landed(root, id);
    assert.deepEqual([txStatus, /^the message nonce of/.test(txError)], ['FAILED', true], txError);
  }
});

test('an authorization that no pool takes fails alone', async () => {
  for (const message of ['authority already reserved', 'DelegatorHasPendingTx']) {
    world.liar.lie({ kind: 'error', code: -32000, message }, { methods: ['eth_sendRawTransaction'], times: 1 });
    const refused = await landed(root, await sponsored(await newAccount(world, root)));
    assert.deepEqual([refused.txStatus, refused.txError], ['FAILED', message]);
    await othersLand();
  }
});

test('a transaction that every node refuses with an unknown error makes way, and fails once that is final', async () => {
  await othersLand();
  world.liar.lie({ kind: 'error', code: -32000, message: 'the moon is full' }, { methods: ['eth_sendRawTransaction'] });
  const id = await sponsored(await newAccount(world, root));
  const other = await sponsored(await newAccount(world, root));
  const { ofSend } = instance.engine.store.read.sendAttempts;
  const isAway = async () => (await ofSend(root.organizationId, id)).some(({ purpose }) => purpose === 'cancel');
  while (!(await isAway())) {
    instance.clock.advance(2_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  world.liar.truth();
  const isOver = async () => (await sendOf(instance, root, other)).state === 'included';
  while (!(await isOver())) {
    instance.clock.advance(2_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal((await sendOf(instance, root, id)).state, 'sent');
  await world.admin.mine({ blocks: 200 });
  const { txStatus, txError } = await landed(root, id);
  assert.deepEqual([txStatus, txError], ['FAILED', 'no node takes it, and none says why in known words: the moon is full']);
  assert.equal((await ofSend(root.organizationId, id)).length, 2);
  await othersLand();
});

test('answers of nodes may have any content', async () => {
  for (const message of ['execution reverted: a\u0000b', 'txpool is full \u0000\ud800']) {
    world.liar.lie({ kind: 'error', code: -32000, message }, { methods: ['eth_sendRawTransaction'], times: 1 });
    await landed(root, await sponsored(await newAccount(world, root)));
    await othersLand();
  }
});

test('gas limits that no block has are refused', async () => {
  const from = await newAccount(world, root);
  const sending = { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1', data: `0x${'ff'.repeat(4000)}` }], sponsor: true };
  await refusesEach(root, TYPE, [
    [{ ...sending, gasLimit: '21000' }, 'parameters.gasLimit', /must be at least \d+/],
    [{ ...sending, gasLimit: '100000' }, 'parameters.gasLimit', /must be at least \d+/],
    [{ ...sending, gasLimit: '9000000000' }, 'parameters.gasLimit', /must be at most 16777216/],
  ]);
  await othersLand();
});

test('with the least accepted gas, a send reverts and delays no other', async () => {
  const from = await newAccount(world, root);
  const sending = { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1', data: `0x${'ff'.repeat(4000)}` }], sponsor: true };
  const { body } = await root.submit(TYPE, { ...sending, gasLimit: '21000' });
  const [least] = /(?<=at least )\d+/.exec(JSON.stringify(body))!;
  const id = idOf(await root.submit(TYPE, { ...sending, gasLimit: least }));
  await othersLand();
  assert.equal((await landed(root, id)).txStatus, 'INCLUDED');
});

test('a party sees a message and brings it first: the send says that it may have been carried out', async () => {
  const from = await newAccount(world, root);
  assert.equal((await landed(root, await sponsored(from))).txStatus, 'INCLUDED');
  await world.admin.setAutomine(false);
  try {
    const id = await sponsored(from);
    const ours = await inPool(id);
    const [thief] = await rpc<string[]>(world.anvil.url, 'eth_accounts');
    const fees = { maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x174876e800' };
    const stolen = { from: thief, to: ours.to, data: ours.input, gas: '0x493e0', ...fees };
    await rpc(world.anvil.url, 'eth_sendTransaction', [stolen]);
    const before = await world.node.getBalance({ address: FRIEND });
    await world.admin.mine({ blocks: 1 });
    assert.equal((await world.node.getBalance({ address: FRIEND })) - before, 1n);
    const { txStatus, error } = await landed(root, id);
    assert.equal(txStatus, 'INCLUDED');
    assert.match(error.message, /another party submitted its message.*may have been executed/);
    assert.equal(error.revertChain.at(-1).custom.errorName, 'InvalidNonce');
  } finally {
    await world.admin.setAutomine(true);
  }
});

test('where anybody may make organizations, the paymaster pays for none that the operator did not name', async () => {
  const open = await sharedInstance({ ...world.env, ...SPONSORING, ALLOW_CREATE_ORGANIZATION: '1' });
  // Timestamps of clients only rise, whichever service they are for.
  open.clock.advance(Math.max(instance.clock.now() - open.clock.now(), 0));
  await sponsoring(world, open);
  const { client } = await newTopLevel(open, 'Mallory');
  const limits = { orgWindowLimitUsd: '1000000', subOrgWindowLimitUsd: '1000000', windowDurationMinutes: '1' };
  resultOf(await client.submit('UPSERT_GAS_USAGE_CONFIG', limits), 'upsertGasUsageConfigResult');
  const from = await newAccount(world, client);
  const answer = await client.submit(TYPE, { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1' }], sponsor: true });
  refused(answer, [400, 'UNSPECIFIED', /gas sponsorship is not enabled for this organization: .*GAS_SPONSORED_ORGANIZATIONS/]);
});

test('the operator names organizations by their ids', () => {
  const id = '0191f3c2-0000-7000-8000-000000000000';
  const named = (env: object) => gasSettings(env as never).organizations;
  assert.equal(named({}), undefined);
  assert.deepEqual(named({ ALLOW_CREATE_ORGANIZATION: '1' }), new Set());
  assert.equal(named({ ALLOW_CREATE_ORGANIZATION: '1', GAS_SPONSORED_ORGANIZATIONS: 'all' }), undefined);
  assert.deepEqual(named({ GAS_SPONSORED_ORGANIZATIONS: ` ${id.toUpperCase()}, ` }), new Set([id]));
  assert.throws(() => named({ GAS_SPONSORED_ORGANIZATIONS: 'everybody' }), /"everybody" is not/);
});

test('a message that cannot be voided, as its key was deleted: the end of its cancelled send says that others can bring it', async () => {
  const parameters = { walletName: 'A wallet that goes', accounts: [ethereumAccount()] };
  const { addresses, walletId } = resultOf(await root.submit('CREATE_WALLET', parameters), 'createWalletResult');
  const [from] = addresses;
  await world.admin.setBalance({ address: from, value: 10n ** 18n });
  assert.equal((await landed(root, await sponsored(from))).txStatus, 'INCLUDED');
  await world.admin.setAutomine(false);
  try {
    const id = await sponsored(from);
    const ours = await inPool(id);
    const gone = await root.submit('DELETE_WALLETS', { walletIds: [walletId], deleteWithoutExport: true });
    resultOf(gone, 'deleteWalletsResult');
    const cancelled = await root.submit('COUNTERSIGN_CANCEL_SEND', { sendTransactionStatusId: id, reason: 'a test' });
    resultOf(cancelled, 'countersignCancelSendResult');
    await cancelInPool(id);
    await world.admin.mine({ blocks: 201 });
    const { txStatus, txError } = await landed(root, id);
    assert.deepEqual([txStatus, /can still bring it to the account/.test(txError)], ['FAILED', true], txError);
    await world.admin.setAutomine(true);
    const before = await world.node.getBalance({ address: FRIEND });
    const [thief] = await rpc<string[]>(world.anvil.url, 'eth_accounts');
    const brought = { from: thief, to: ours.to, data: ours.input, gas: '0x493e0' };
    const theirs = await rpc(world.anvil.url, 'eth_sendTransaction', [brought]);
    await waitFor('it is in a block', () => rpc(world.anvil.url, 'eth_getTransactionReceipt', [theirs]));
    assert.equal((await world.node.getBalance({ address: FRIEND })) - before, 1n, 'it was true');
  } finally {
    await world.admin.setAutomine(true);
  }
});
