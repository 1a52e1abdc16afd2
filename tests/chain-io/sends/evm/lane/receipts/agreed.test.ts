/** When every endpoint agrees that a send is lost, so that limits give its amounts back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from '../../../../../../src/base/lru.ts';
import type { EvmRow } from '../../../../../../src/chain-io/sends/evm/lane/parts.ts';
import {
  failedForAll,
  isUsedForAll,
  mayAgree,
  paidForAll,
} from '../../../../../../src/chain-io/sends/evm/lane/receipts/agreed.ts';
import type { SendAttempt } from '../../../../../../src/model/send.ts';

type On = Parameters<typeof isUsedForAll>[0];
type Chain = { next: readonly number[]; receipts?: Record<string, (object | undefined)[]>; oldest?: bigint; final?: bigint };

const KEPT = 900n;
/** Two endpoints, which have the state of blocks from the `oldest` on. `next`: the account's next nonce at each. */
const on = ({ next, receipts = {}, oldest = 0n, final = 500n }: Chain): On =>
  ({
    chain: { finalForAll: async () => final, keptForAll: async () => KEPT },
    node: {
      everyone: {
        nonce: async (_: string, at: bigint) => (at >= oldest ? next.map(BigInt) : undefined),
        receipt: async (hash: string) => receipts[hash] ?? [undefined, undefined],
      },
    },
  }) as unknown as On;

const row = (more: object = {}) =>
  ({
    ...{ id: 'a', account: '0xaa', nonce: 7, hash: '0xpay', blockNumber: 400, blockHash: '0xblock' },
    ...{ intent: { form: 'call', reserves: true }, ...more },
  }) as unknown as EvmRow;
const attempt = (nonce: number, hash: string, purpose = 'send') => ({ nonce, hash, purpose, createdAt: 0 }) as SendAttempt;
const [first, second] = [attempt(5, '0xfirst'), attempt(7, '0xpay')];
const mined = { succeeded: true, blockHash: '0xother' };

test('a send is lost if each endpoint has all its nonces as used, and none of its transactions', async () => {
  const both = [first, second, attempt(7, '0xcancel', 'cancel')];
  assert.equal(await isUsedForAll(on({ next: [8, 8] }), row(), both), true);
  assert.equal(await isUsedForAll(on({ next: [8, 7] }), row(), both), false);
  const receipts = { '0xfirst': [undefined, mined] };
  assert.equal(await isUsedForAll(on({ next: [8, 8], receipts }), row(), both), false, 'the first one landed');
  assert.equal(await isUsedForAll(on({ next: [8, 8] }), row(), [attempt(9, '0xfirst'), second]), false, 'the first one may land');
});

test('a send is lost also where nodes have no state of the final block any more, by that of a later one', async () => {
  const full = { next: [8, 8], oldest: KEPT };
  assert.equal(await isUsedForAll(on(full), row(), [second]), true);
  assert.equal(await isUsedForAll(on({ ...full, next: [8, 7] }), row(), [second]), false);
  assert.equal(await isUsedForAll(on({ ...full, oldest: KEPT + 1n }), row(), [second]), false, 'nor of that');
  assert.equal(await isUsedForAll(on({ ...full, final: 463n }), row(), [second]), false, 'it was seen too lately');
  assert.equal(await isUsedForAll(on({ ...full, final: 464n }), row(), [second]), true);
});

test('a send has failed if each endpoint has that, and none has its transaction with an earlier nonce', async () => {
  const failed = { succeeded: false, blockHash: '0xblock' };
  const receipts = { '0xpay': [failed, failed] };
  assert.equal(await failedForAll(on({ next: [], receipts }), row(), [first, second]), true);
  assert.equal(await failedForAll(on({ next: [], receipts: { '0xpay': [failed, mined] } }), row(), [second]), false);
  const landed = { ...receipts, '0xfirst': [mined, undefined] };
  assert.equal(await failedForAll(on({ next: [], receipts: landed }), row(), [first, second]), false);
  assert.equal(await failedForAll(on({ next: [], receipts }), row(), [attempt(9, '0xfirst'), second]), false);
});

test('endpoints have ten minutes to agree, for a message only after it has expired', () => {
  let now = 1_000_000;
  const doubts = { doubted: new Lru<number>(10), clock: { now: () => now } };
  const message = row({ id: 'b', intent: { form: 'batch', deadline: '5000' } });
  const both = () => [row(), message].map((one) => mayAgree(doubts, one, [second]));
  assert.deepEqual(both(), [true, false]);
  now += 599_999;
  assert.deepEqual(both(), [true, false]);
  now += 1;
  assert.deepEqual(both(), [false, false]);
  assert.equal(mayAgree(doubts, row({ blockNumber: 401 }), [second]), true, 'another block has a time of its own');
  now = 5_000_001;
  assert.deepEqual(both(), [false, true]);
});

test('what was paid is what the endpoint says that says most, if all have it in the final block and nothing else was paid', async () => {
  let now = 1_000_000;
  const doubts = { doubted: new Lru<number>(10), clock: { now: () => now } };
  const cost = (gasUsed: bigint, more: object = {}) => ({ blockHash: '0xblock', gasUsed, effectiveGasPrice: 3n, ...more });
  const paid = (receipts: (object | undefined)[], send = row(), attempts = [second], final = 500n) =>
    paidForAll({ ...on({ next: [], receipts: { '0xpay': receipts }, final }), ...doubts }, send, attempts);
  assert.equal(await paid([cost(7n), cost(8n, { dataFee: 2n })]), 26n);
  assert.equal(await paid([cost(7n), cost(7n)], row(), [second, attempt(7, '0xcancel', 'cancel')]), 21n);
  for (const [send, attempts] of [
    [row({ intent: { form: 'raw', reserves: true } }), [second]],
    [row(), [first, second]],
    [row(), [second, attempt(6, '0xgap', 'gap')]],
  ] as const)
    assert.equal(await paid([cost(7n), cost(7n)], send, [...attempts]), undefined);
  assert.equal(await paid([cost(7n), cost(7n, { effectiveGasPrice: undefined })]), undefined);
  assert.equal(await paid([cost(7n), cost(7n, { hasOperatorFee: true })]), undefined);
  const open = () => paid([cost(7n), undefined], row({ id: 'b' }));
  assert.deepEqual(
    [await open(), await paid([cost(7n), mined]), await paid([cost(7n), cost(7n)], row(), [second], 399n)],
    ['open', 'open', 'open'],
  );
  now += 600_000;
  assert.equal(await paid([cost(7n), undefined], row({ id: 'c' })), undefined, 'no other send waits for them');
  assert.equal(await paid([cost(7n), cost(7n)]), 21n);
  assert.equal(await paid([cost(7n), undefined], row({ id: 'c' })), 'open', 'they have agreed since');
  assert.equal(await open(), undefined, 'it has waited for its time');
  now += 3_600_001;
  assert.equal(await paid([cost(7n), undefined], row({ id: 'd' })), 'open', 'that they differed is forgotten after an hour');
});
