/** The believed nonces of endpoints that contradict each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RpcError } from '../../../../../../src/chain-io/nodes/types.ts';
import { overShare } from '../../../../../../src/chain-io/sends/evm/lane/attempts/shares.ts';
import {
  chainNonces,
  latestNonce,
  type NonceQuestion,
  noBelief,
} from '../../../../../../src/chain-io/sends/evm/lane/nonces/believed.ts';

/** The answer of each endpoint; `inBlock` of a block that is asked for by its number. Undefined: it keeps no state. */
type Says = { latest: number[]; pending?: number[]; inBlock?: number[] | undefined };

/** An account of which `nextNonce` is known, and whose first transaction that is out has the nonce `out`. */
function account(nextNonce: number | null, out?: number) {
  let says: Says = { latest: [0] };
  let now = 0;
  const told: string[] = [];
  const node = {
    async nonces(_account: string, at: string | bigint) {
      const { latest, pending = latest } = says;
      const inBlock = 'inBlock' in says ? says.inBlock : latest;
      const said = at === 'latest' ? latest : at === 'pending' ? pending : inBlock;
      if (said === undefined) throw new RpcError('here', { code: -32000, message: 'missing trie node', data: undefined });
      return said.map(BigInt).sort((a, b) => (a < b ? 1 : -1));
    },
    block: async () => ({ value: { number: 7n }, answered: 1, endpoints: 1 }),
  };
  const log = { warn: (_fields: object, text: string) => told.push(text), info: () => {}, error: () => {} };
  const sendsOfAccount = { byNonce: async () => (out === undefined ? [] : [{ nonce: out }]) };
  const read = { sendAccounts: { get: async () => ({ nextNonce }) }, sendsOfAccount };
  const key = { caip2: 'eip155:1', account: '0xaa' };
  const asked = { node, log, read, key, belief: noBelief(), elapsed: { now: () => now } } as unknown as NonceQuestion;
  return {
    told,
    /** The believed nonce after this time. */
    async after(seconds: number, next: Says) {
      now += seconds * 1000;
      says = next;
      const { latest, doubt } = await latestNonce(asked);
      return doubt === undefined ? latest : 'waits';
    },
    async pending(next: Says) {
      says = next;
      const { pending, doubt } = await chainNonces(asked);
      return doubt === undefined ? pending : 'waits';
    },
  };
}

test('nonces that we signed are believed of any endpoint, and a few more of a single one', async () => {
  const { after } = account(40);
  assert.deepEqual([await after(0, { latest: [40] }), await after(0, { latest: [3, 40] })], [40, 40]);
  assert.equal(await after(0, { latest: [56] }), 56);
  assert.equal(await after(0, { latest: [80] }), 'waits');
  assert.equal(await account(null).after(0, { latest: [16] }), 16);
});

test('a nonce that two endpoints say is believed, however high', async () => {
  assert.equal(await account(null).after(0, { latest: [5_000, 5_000] }), 5_000);
  assert.equal(await account(7).after(0, { latest: [5_000, 1, 5_000] }), 5_000);
});

test('of two endpoints the wild one is waited for, and then the other counts, as long as it lasts', async () => {
  const { after, told } = account(5);
  const lie = { latest: [1_000_000, 5] };
  assert.equal(await after(0, lie), 'waits');
  assert.equal(await after(16, lie), 'waits');
  assert.equal(await after(16, lie), 5);
  assert.equal(await after(600, { latest: [2_000_000, 6] }), 6);
  assert.equal(told.length, 1);
  assert.equal(await after(1, { latest: [7, 7] }), 7);
});

test('one endpoint of two cannot have nonces passed over little by little', async () => {
  const { after } = account(5);
  assert.equal(await after(0, { latest: [6, 5] }), 'waits');
  assert.equal(await after(40, { latest: [6, 5], inBlock: [6, 5] }), 5);
});

test('a block that one endpoint alone knows confirms nothing, but after a long time', async () => {
  const { after } = account(5);
  // It may be no block at all, or the other endpoint may be stuck.
  const alone = { latest: [200, 5], inBlock: [200] };
  assert.deepEqual([await after(0, alone), await after(16, alone)], ['waits', 'waits']);
  for (let seconds = 32; seconds < 600; seconds += 16) assert.equal(await after(16, alone), 5);
  assert.equal(await after(16, alone), 200);
});

test('an endpoint that says less each time stops no account', async () => {
  const { after } = account(5);
  const lie = (i: number) => ({ latest: [1_000_000 - i, 5], inBlock: [1_000_000 - i, 5] });
  assert.equal(await after(0, lie(0)), 'waits');
  for (let i = 1; i <= 15; i++) await after(2, lie(i));
  assert.equal(await after(2, lie(16)), 5);
  assert.equal(await after(2, lie(17)), 5);
});

test('nonces that blocks confirm are believed, and none that the same endpoint says above them', async () => {
  const { after } = account(5);
  assert.equal(await after(0, { latest: [6, 5] }), 'waits');
  assert.equal(await after(32, { latest: [6, 5], inBlock: [5, 5] }), 5);
  // Transactions of our own had that nonce meanwhile.
  const wild = { latest: [2 ** 40, 8], inBlock: [2 ** 40, 8] };
  assert.equal(await after(16, wild), 8);
  assert.equal(await after(16, wild), 8);
  const { after: afterAlone } = account(5);
  assert.equal(await afterAlone(0, { latest: [50] }), 'waits');
  assert.equal(await afterAlone(16, { latest: [2 ** 40], inBlock: [50] }), 50);
  assert.equal(await afterAlone(16, { latest: [2 ** 40], inBlock: [50] }), 'waits');
});

test('a single endpoint is believed once a block has the nonce too, some time later', async () => {
  const { after, told } = account(5);
  const used = { latest: [5_000], inBlock: [5_000] };
  assert.deepEqual([await after(0, used), await after(14, used), await after(2, used)], ['waits', 'waits', 5_000]);
  assert.equal(told.length, 2);
  assert.equal(await after(1, { latest: [5_003] }), 5_003);
});

test('a single endpoint that says otherwise of a block is never believed, and heals', async () => {
  const { after } = account(5);
  const lie = { latest: [1_000_000], inBlock: [5] };
  for (let tries = 0; tries < 100; tries++) assert.equal(await after(60, lie), 'waits');
  assert.equal(await after(1, { latest: [5] }), 5);
});

test('a leap begins anew where the endpoint does not keep to it', async () => {
  const { after } = account(5);
  assert.equal(await after(0, { latest: [9_000] }), 'waits');
  assert.equal(await after(16, { latest: [8_000], inBlock: [9_000] }), 'waits');
  assert.equal(await after(14, { latest: [8_000], inBlock: [9_000] }), 'waits');
});

test('where no endpoint keeps the state of blocks, ten minutes count', async () => {
  const { after } = account(5);
  const used = { latest: [5_000], inBlock: undefined };
  for (let seconds = 0; seconds < 600; seconds += 20) assert.equal(await after(seconds && 20, used), 'waits');
  assert.equal(await after(20, used), 5_000);
});

test('transactions that wait at one endpoint alone are passed over within bounds', async () => {
  assert.equal(await account(5).pending({ latest: [5], pending: [8] }), 8);
  assert.equal(await account(5).pending({ latest: [5], pending: [1_000] }), 'waits');
  assert.equal(await account(5).pending({ latest: [5, 5], pending: [1_000, 6] }), 6);
  assert.equal(await account(5).pending({ latest: [5, 5], pending: [1_000, 1_000] }), 1_000);
  // A broadcast transaction waits for an earlier one already.
  assert.equal(await account(9, 8).pending({ latest: [5], pending: [12] }), 'waits');
  assert.equal(await account(9, 5).pending({ latest: [5], pending: [12] }), 12);
});

const of = (organizationId: string, { payerId = organizationId, sponsored = true } = {}) =>
  ({ organizationId, payerId, sponsored }) as never;

const overOf = (out: readonly never[]) => {
  const read = { sendsOfAccount: { byNonce: async () => out } };
  return overShare({ read, key: {} } as never, { nextNonce: out.length } as never, 0);
};

test("one organization has at most a quarter of the paymaster's pending sends", async () => {
  const over = (nextNonce: number, greedy: number) =>
    overOf(Array.from({ length: nextNonce }, (_, i) => of(i < greedy ? 'greedy' : `other ${i}`)));
  const crowded = await over(400, 256);
  assert.deepEqual(
    [crowded(of('greedy')), crowded(of('modest')), crowded(of('greedy', { sponsored: false }))],
    [true, false, false],
  );
  assert.equal((await over(400, 255))(of('greedy')), false);
  assert.equal((await over(255, 255))(of('greedy')), false);
});

test('many sub-organizations of one parent leave room for other parents', async () => {
  const many = (count: number) => overOf(Array.from({ length: count }, (_, i) => of(`sub ${i % 8}`, { payerId: 'parent' })));
  const crowded = await many(768);
  assert.deepEqual(
    [crowded(of('sub new', { payerId: 'parent' })), crowded(of('parent')), crowded(of('sub 0', { payerId: 'other' }))],
    [true, true, false],
  );
  assert.equal((await many(767))(of('sub new', { payerId: 'parent' })), false);
});
