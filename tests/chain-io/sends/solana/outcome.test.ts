import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keypair } from '@solana/web3.js';
import { heightsOf } from '../../../../src/chain-io/nodes/solana/agree.ts';
import { choose, lastOf, lastOfGiven } from '../../../../src/chain-io/sends/solana/blockhash.ts';
import { outcomeOf } from '../../../../src/chain-io/sends/solana/outcome.ts';
import { readTransaction } from '../../../../src/chains/solana/wire.ts';
import { transaction, transfer } from './support.ts';

const NOTHING = { value: undefined, answered: 2, endpoints: 2 };
const payer = Keypair.fromSeed(new Uint8Array(32).fill(1)).publicKey;
const signed = Buffer.from(transaction({ payer }, transfer(payer)), 'hex');

test('the end of a blockhash is never taken from the endpoint that gave it', () => {
  assert.equal(lastOf(1000n, 1149n), 1150n);
  assert.equal(lastOf(1000n, 1160n), 1160n);
  // It says that the blockhash expires immediately, soon, or never.
  for (const said of [1n, 1039n, 1183n, 10n ** 12n]) assert.equal(lastOf(1000n, said), undefined);
  assert.equal(lastOfGiven(1000n), 1182n);
});

test('a blockhash is chosen that fits what endpoints agree on, another one for each attempt', async () => {
  const said = [1n, 1145n, 10n ** 12n, 1150n].map((lastValidBlockHeight) => ({
    blockhash: `until ${lastValidBlockHeight}`,
    lastValidBlockHeight,
    slot: 1n,
  }));
  const chain = { height: 1000n, latest: async () => said };
  assert.deepEqual(await choose(chain, 1), { blockhash: 'until 1150', last: 1150n });
  assert.deepEqual(await choose(chain, 2), { blockhash: 'until 1145', last: 1150n });
  assert.deepEqual(await choose(chain, 3), { blockhash: 'until 1150', last: 1150n });
  await assert.rejects(choose({ height: 1000n, latest: async () => said.slice(0, 1) }, 1), /no endpoint returned a blockhash/);
});

type Says = { heights: number[]; isValid?: boolean; isAll?: boolean; answered?: number; minutes?: number };

/** Of a blockhash that counts until block 1150, by two endpoints. */
async function outcome({ heights, isValid = false, isAll = true, answered = 2, minutes = 0 }: Says): Promise<string> {
  const asked: string[] = [];
  const node = {
    async blockhashCounts() {
      asked.push('blockhash');
      return { isValid, isAll };
    },
    async statuses() {
      asked.push('status');
      return [{ ...NOTHING, answered }];
    },
  };
  const work = { node, clock: { now: () => minutes * 60_000 } };
  const given = {
    send: { intent: { blockhash: 'chosen' } },
    attempt: { signed, hash: 'h', lastValidBlockHeight: 1150, createdAt: 0 },
  };
  const { is } = await outcomeOf(work as never, given as never, heightsOf(heights.map(BigInt), 2));
  // A transaction that lands between the two questions is found.
  assert.deepEqual(asked, ['blockhash', 'status']);
  return is;
}

test('a transaction is dead only if every endpoint says so: by its height, of the blockhash, and of the transaction', async () => {
  assert.equal(await outcome({ heights: [1200, 1190] }), 'dead');
  assert.equal(await outcome({ heights: [1200, 1182] }), 'again');
  assert.equal(await outcome({ heights: [10 ** 12, 1100] }), 'again');
  // One that was not asked for its height may be far behind.
  assert.equal(await outcome({ heights: [10 ** 12] }), 'unsure');
  // One still takes it: the last block was told too low.
  assert.equal(await outcome({ heights: [1200, 1190], isValid: true }), 'unsure');
  assert.equal(await outcome({ heights: [1200, 1190], isAll: false }), 'unsure');
  assert.equal(await outcome({ heights: [1200, 1190], answered: 1 }), 'unsure');
});

/** Of a transaction with a durable nonce that seemed to be used at block 1150. `has`: whether each endpoint still has its nonce. */
async function ofNonce({ has = [false, false], isValid = false, minutes = 0, heights = [1200n, 1190n] }) {
  const { message } = readTransaction(signed);
  const account = (isThere: boolean) => {
    const data = new Uint8Array(80).fill(7);
    if (isThere) data.set(message.blockhash, 40);
    return { data };
  };
  const node = {
    accounts: async () => ({ values: has.map(account), isAll: true }),
    blockhashCounts: async () => ({ isValid, isAll: true }),
    statuses: async () => [NOTHING],
  };
  const work = { node, clock: { now: () => minutes * 60_000 } };
  const send = { intent: { blockhash: 'nonce', nonceAccount: 'any' } };
  const attempt = { signed, hash: 'h', lastValidBlockHeight: 1150, createdAt: 0 };
  return (await outcomeOf(work as never, { send, attempt } as never, heightsOf(heights, heights.length))).is;
}

test('a transaction that seems to have a durable nonce may land while its blockhash is valid', async () => {
  assert.equal(await ofNonce({}), 'dead');
  assert.equal(await ofNonce({ isValid: true }), 'again');
  assert.equal(await ofNonce({ has: [true, false] }), 'nonce is back');
});

test('one endpoint that always accepts the blockhash, or always has the nonce, delays the end by ten minutes', async () => {
  const later = { minutes: 10, heights: [3000n, 2990n] };
  assert.equal(await ofNonce({ isValid: true, ...later }), 'failed');
  assert.equal(await ofNonce({ has: [true, false, false] }), 'unsure');
  assert.equal(await ofNonce({ has: [true, false, false], ...later }), 'failed');
  // Two stuck endpoints count no more than two that have it.
  assert.equal(await ofNonce({ has: [true, true, false, false], ...later }), 'nonce is back');
  // Of two that contradict each other none is right.
  assert.equal(await ofNonce({ has: [true, false], ...later }), 'nonce is back');
  // An endpoint whose height jumps counts for nothing.
  assert.equal(await ofNonce({ isValid: true, minutes: 10, heights: [10n ** 12n, 1300n] }), 'again');
  assert.equal(await ofNonce({ isValid: true, minutes: 9, heights: [3000n, 2990n] }), 'again');
});

test('after ten minutes the endpoints that answer decide, and no endpoint alone ends the send or delays it for ever', async () => {
  assert.equal(await outcome({ heights: [3000], answered: 1, isAll: false, minutes: 9 }), 'unsure');
  assert.equal(await outcome({ heights: [3000], answered: 1, isAll: false, minutes: 10 }), 'failed');
  assert.equal(await outcome({ heights: [1200], answered: 1, isAll: false, minutes: 10 }), 'unsure');
  assert.equal(await outcome({ heights: [3000], answered: 0, isAll: false, minutes: 10 }), 'unsure');
  // One is stuck, or lies about its height.
  assert.equal(await outcome({ heights: [3000, 7], minutes: 10 }), 'failed');
  assert.equal(await outcome({ heights: [10 ** 12, 1100], isValid: true, minutes: 10 }), 'again');
  // One says for ever that it takes it.
  assert.equal(await outcome({ heights: [3000, 2990], isValid: true, minutes: 10 }), 'failed');
});
