import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Hex } from '../../../../src/chain-io/nodes/read.ts';
import { NoNodeError } from '../../../../src/chain-io/nodes/types.ts';
import { startAnvil } from '../../../support/anvil.ts';
import { rpc, startLiar } from '../../../support/rpc-liar.ts';
import { ALICE, evm } from '../support.ts';

const anvil = await startAnvil();
const first = await startLiar(anvil.url);
const second = await startLiar(anvil.url);
after(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await anvil.stop();
});
const alice = ALICE.address.toLowerCase() as Hex;
const tokens = Array.from({ length: 100 }, (_, i): Hex => `0x${(0xaa00 + i).toString(16).padStart(40, '0')}`);
/** Returns 7, whatever is asked. */
const SEVEN = '0x600760005260206000f3';
await Promise.all(tokens.map((token) => rpc(anvil.url, 'anvil_setCode', [token, SEVEN])));

test('many tokens take few HTTP requests, also of an endpoint that refuses large ones', async () => {
  const { node } = evm(first.url);
  for (const [lie, sizes] of [
    [undefined, [1, 1, 64, 37]],
    ['refused', undefined],
  ] as const) {
    if (lie !== undefined) first.lie({ kind: 'batches', how: lie, most: 20 });
    first.sizes.splice(0);
    const { native, tokens: held } = await node.holdings(alice, tokens, 5000);
    assert.equal(native, 10_000n * 10n ** 18n);
    assert.deepEqual(
      [...held],
      tokens.map((token) => [token, { amount: 7n }]),
    );
    if (sizes !== undefined) assert.deepEqual(first.sizes, sizes);
  }
  first.truth();
});

test('a silent endpoint has half of the time, and the next one answers everything in the rest', async () => {
  const { node } = evm(first.url, second.url);
  await node.balance(alice);
  first.lie({ kind: 'silence' });
  const { tokens: held } = await node.holdings(alice, tokens.slice(0, 3), 2000);
  assert.equal(held.size, 3);
  second.lie({ kind: 'silence' });
  const began = performance.now();
  await assert.rejects(node.holdings(alice, tokens.slice(0, 3), 1000), NoNodeError);
  assert.ok(performance.now() - began < 3000);
  first.truth();
  second.truth();
});
