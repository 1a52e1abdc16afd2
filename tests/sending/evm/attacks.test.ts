/** A user of one organization who wants to hold up the paymaster for all others. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../src/chains/ethereum/delegation.ts';
import {
  CHAIN,
  FRIEND,
  idOf,
  landed,
  newAccount,
  SPONSORING,
  sendingWorld,
  sponsoring,
} from '../../activities/sending/eth-support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEach } from '../../support/refusals.ts';

const TYPE = 'ETH_SEND_TRANSACTION_V2';
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, ...SPONSORING });
const { root } = instance;
await sponsoring(world, instance);

const sponsored = async (from: Hex, more: object = {}): Promise<string> =>
  idOf(await root.submit(TYPE, { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1' }], sponsor: true, ...more }));

/** Somebody else's send lands all the same. */
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
    assert.deepEqual([txStatus, /nonce of its messages/.test(txError)], ['FAILED', true], txError);
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

test('what nodes say may hold anything', async () => {
  for (const message of ['execution reverted: a\u0000b', 'insufficient funds \u0000 \ud800', 'txpool is full \u0000\ud800']) {
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

test('with the least gas that is taken, a send reverts and holds nobody up', async () => {
  const from = await newAccount(world, root);
  const sending = { from, caip2: CHAIN, calls: [{ to: FRIEND, value: '1', data: `0x${'ff'.repeat(4000)}` }], sponsor: true };
  const { body } = await root.submit(TYPE, { ...sending, gasLimit: '21000' });
  const [least] = /(?<=at least )\d+/.exec(JSON.stringify(body))!;
  const id = idOf(await root.submit(TYPE, { ...sending, gasLimit: least }));
  await othersLand();
  assert.equal((await landed(root, id)).txStatus, 'INCLUDED');
});
