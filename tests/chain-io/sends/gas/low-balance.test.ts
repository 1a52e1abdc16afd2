import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainNode } from '../../../../src/chain-io/nodes/chain-nodes.ts';
import { lowBalance } from '../../../../src/chain-io/sends/gas/low-balance.ts';

const PRICE = { usdE18: 2000n * 10n ** 18n, decimals: 18 };
const MINUTE = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('says once an hour that the paymaster has little left, and asks at most once a minute for each network', async () => {
  let now = 0;
  let balance = 4n * 10n ** 15n;
  const asked: string[] = [];
  const said: string[] = [];
  const node = (caip2: string) =>
    ({
      kind: 'eip155',
      caip2,
      balance: async () => {
        asked.push(caip2);
        return balance;
      },
    }) as unknown as ChainNode;
  const log = { info() {}, warn: (_: object, message: string) => void said.push(message), error() {} };
  const look = lowBalance({ lowMicroUsd: 10_000_000, address: () => '0xpaymaster', elapsed: { now: () => now }, log });
  const at = async (minutes: number, ...networks: string[]) => {
    now = minutes * MINUTE;
    for (const name of networks) look(node(name), PRICE);
    await settled();
    return [asked.length, said.length];
  };
  assert.deepEqual(await at(0, 'eip155:1', 'eip155:1', 'eip155:10'), [2, 2]);
  assert.match(said[0]!, /less than 10(\.0+)? USD left \(8(\.0+)?\).*Send coins/);
  assert.deepEqual(await at(0.5, 'eip155:1'), [2, 2], 'within a minute nobody is asked');
  assert.deepEqual(await at(30, 'eip155:1'), [3, 2], 'within an hour nothing is said again');
  assert.deepEqual(await at(61, 'eip155:1'), [4, 3]);
  balance = 5n * 10n ** 15n;
  assert.deepEqual(await at(200, 'eip155:1'), [5, 3], 'enough is enough');
});

test('a node that does not answer is passed over', async () => {
  const node = {
    kind: 'solana',
    caip2: 'solana:devnet',
    balance: async () => Promise.reject(new Error('gone')),
  } as unknown as ChainNode;
  const log = { info() {}, warn: () => assert.fail('nothing is said'), error() {} };
  lowBalance({ lowMicroUsd: 1, address: () => 'paymaster', elapsed: { now: () => 0 }, log })(node, PRICE);
  await settled();
});
