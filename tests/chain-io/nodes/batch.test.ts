import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Hex, keccak256 } from 'viem';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { type Liar, type Lie, rpc, startLiar } from '../../support/rpc-liar.ts';
import { ALICE, evm, transfer } from './support.ts';

let anvil: Anvil;
let liar: Liar;
before(async () => {
  anvil = await startAnvil('--no-mining');
  liar = await startLiar(anvil.url);
});
beforeEach(async () => {
  liar.truth();
  await rpc(anvil.url, 'anvil_dropAllTransactions');
  await rpc(anvil.url, 'anvil_setNonce', [ALICE.address, '0x0']);
  liar.asked.length = 0;
  liar.sizes.length = 0;
});
after(async () => {
  await liar.stop();
  await anvil.stop();
});

const alice = ALICE.address.toLowerCase() as Hex;
const transfers = (count: number): Promise<Hex[]> =>
  Promise.all(Array.from({ length: count }, (_, nonce) => transfer({ nonce, gas: 21_000n + BigInt(nonce) })));

/** A node that knows what network it is of. */
async function introduced() {
  const made = evm(liar.url);
  await made.node.balance(alice);
  liar.asked.length = 0;
  liar.sizes.length = 0;
  return made.node;
}

const waiting = async (): Promise<number> => {
  const { pending, queued } = await rpc<{ pending: Hex; queued: Hex }>(anvil.url, 'txpool_status');
  return Number(pending) + Number(queued);
};

test('concurrent questions go in one request, in their order, and each has its own answer', async () => {
  const node = await introduced();
  const signed = await transfers(20);
  // The eighth has another one’s nonce.
  signed[7] = await transfer({ nonce: 6, gas: 30_000n });
  const sent = await Promise.all(signed.map((one) => node.send(one)));
  assert.deepEqual(liar.sizes, [20]);
  assert.deepEqual(
    sent.map(({ outcome }) => outcome),
    signed.map((_, i) => (i === 7 ? 'replacement underpriced' : 'sent')),
  );
  assert.deepEqual(
    (await Promise.all(signed.slice(0, 3).map((one) => node.send(one)))).map(({ outcome }) => outcome),
    ['already known', 'already known', 'already known'],
  );
  const found = await Promise.all(signed.map((one) => node.transaction(keccak256(one))));
  assert.deepEqual(
    found.map(({ value }) => value?.gas),
    signed.map((_, i) => (i === 7 ? undefined : 21_000n + BigInt(i))),
  );
  assert.deepEqual(liar.sizes, [20, 3, 20]);
});

test('one alone is no batch, what costs a node much shares a request with nothing, and large ones are parted', async () => {
  const node = await introduced();
  await node.balance(alice);
  assert.deepEqual(liar.sizes, [1]);
  const call = { from: alice, to: alice };
  await Promise.all([node.call(call), node.call(call), node.estimateGas(call), node.prices()]);
  assert.equal(Math.max(...liar.sizes), 1);
  liar.sizes.length = 0;
  const data: Hex = `0x${'01'.repeat(100_000)}`;
  const large = await Promise.all(Array.from({ length: 4 }, (_, nonce) => transfer({ nonce, data, gas: 10_000_000n })));
  assert.deepEqual(
    new Set((await Promise.all(large.map((one) => node.send(one)))).map(({ outcome }) => outcome)),
    new Set(['sent']),
  );
  assert.deepEqual(liar.sizes, [2, 2]);
  liar.sizes.length = 0;
  await Promise.all(Array.from({ length: 130 }, () => node.balance(alice)));
  assert.deepEqual(liar.sizes, [64, 64, 2]);
});

const REFUSING: readonly Extract<Lie, { kind: 'batches' }>['how'][] = ['refused', 'status', 'each refused', 'no ids'];

for (const how of REFUSING)
  test(`an endpoint that takes no batches gets single requests from then on: ${how}`, async () => {
    const node = await introduced();
    liar.lie({ kind: 'batches', how });
    const signed = await transfers(16);
    for (let times = 0; times < 3; times++) {
      const sent = await Promise.all(signed.map((one) => node.send(one)));
      if (how === 'no ids') continue;
      assert.ok(sent.every(({ outcome }) => outcome === (times === 0 ? 'sent' : 'already known')));
    }
    liar.sizes.length = 0;
    assert.ok((await Promise.all(signed.map((one) => node.send(one)))).every(({ outcome }) => outcome === 'already known'));
    assert.deepEqual(new Set(liar.sizes), new Set([1]));
    assert.equal(await waiting(), 16);
  });

test('one that takes few at once gets few', async () => {
  const node = await introduced();
  liar.lie({ kind: 'batches', how: 'refused', most: 10 });
  const signed = await transfers(32);
  assert.ok((await Promise.all(signed.map((one) => node.send(one)))).every(({ outcome }) => outcome === 'sent'));
  assert.deepEqual(liar.sizes, [32, 8, 8, 8, 8]);
  liar.sizes.length = 0;
  assert.ok((await Promise.all(signed.map((one) => node.send(one)))).every(({ outcome }) => outcome === 'already known'));
  assert.deepEqual(liar.sizes, [8, 8, 8, 8]);
});

test('answers in another order are told apart', async () => {
  const node = await introduced();
  liar.lie({ kind: 'batches', how: 'reversed' });
  const signed = await transfers(10);
  assert.ok((await Promise.all(signed.map((one) => node.send(one)))).every(({ outcome }) => outcome === 'sent'));
  const found = await Promise.all(signed.map((one) => node.transaction(keccak256(one))));
  assert.deepEqual(
    found.map(({ value }) => value?.nonce),
    signed.map((_, i) => BigInt(i)),
  );
  assert.deepEqual(liar.sizes, [10, 10]);
});

test('those that have no answer among others may be sent, and so may those whose answer is said twice', async () => {
  const signed = await transfers(8);
  liar.lie({ kind: 'batches', how: 'half' });
  const halved = await Promise.all(signed.map((await introduced()).send));
  assert.deepEqual(
    halved.map(({ outcome }) => outcome),
    signed.map((_, i) => (i < 4 ? 'sent' : 'unknown')),
  );
  liar.lie({ kind: 'batches', how: 'one id' });
  const same = await Promise.all(signed.map((await introduced()).send));
  assert.deepEqual(new Set(same.map(({ outcome }) => outcome)), new Set(['unknown']));
});

test('all of a batch may be sent if it was not answered, and none if it did not arrive or was too many', async () => {
  const signed = await transfers(8);
  const outcomes = async (lie: Lie): Promise<Set<string>> => {
    const node = await introduced();
    liar.lie(lie);
    const sent = await Promise.all(signed.map((one) => node.send(one)));
    assert.equal(liar.sizes[0], 8);
    liar.truth();
    return new Set(sent.map(({ outcome }) => outcome));
  };
  assert.deepEqual(await outcomes({ kind: 'drop' }), new Set(['unknown']));
  assert.deepEqual(await outcomes({ kind: 'batches', how: 'page' }), new Set(['unknown']));
  assert.deepEqual(await outcomes({ kind: 'status', status: 502 }), new Set(['unknown']));
  assert.deepEqual(await outcomes({ kind: 'endless' }), new Set(['unknown']));
  assert.deepEqual(await outcomes({ kind: 'status', status: 429 }), new Set(['rate limited']));
  assert.deepEqual(await outcomes({ kind: 'limit' }), new Set(['rate limited']));
  assert.deepEqual(await outcomes({ kind: 'status', status: 403 }), new Set(['unavailable']));
});

test('an endpoint that answers pages to batches alone is found out', async () => {
  const node = await introduced();
  liar.lie({ kind: 'batches', how: 'page' });
  const signed = await transfers(8);
  for (let times = 0; times < 2; times++) await Promise.all(signed.map((one) => node.send(one)));
  assert.ok((await Promise.all(signed.map((one) => node.send(one)))).every(({ outcome }) => outcome === 'sent'));
});
