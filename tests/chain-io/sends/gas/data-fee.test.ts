import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestClient, http } from 'viem';
import { foundry } from 'viem/chains';
import { chainNodes } from '../../../../src/chain-io/nodes/chain-nodes.ts';
import type { EvmNode } from '../../../../src/chain-io/nodes/evm/node.ts';
import { dataFeeOf } from '../../../../src/chain-io/sends/gas/data-fee.ts';
import { parseCaip2 } from '../../../../src/model/caip2.ts';
import { startAnvil } from '../../../support/anvil.ts';

const anvil = await startAnvil();
const clock = { now: () => performance.now() };
const log = { info() {}, warn() {}, error() {} };
const settings = [{ network: parseCaip2('eip155:31337')!, urls: [anvil.url] }];
const open = () => chainNodes({ settings, elapsed: clock, machine: clock, log });
const plain = open();
after(async () => {
  await plain.close();
  await anvil.stop();
});
const nodeOf = (nodes: typeof plain) => nodes.chainNode('eip155:31337') as EvmNode;

test('a chain without the oracle has no data fee, and is asked once', async () => {
  const node = nodeOf(plain);
  assert.equal(await dataFeeOf(node, 1000), 0n);
  await anvil.stop();
  assert.equal(await dataFeeOf(node, 1000), 0n);
});

test('a chain of the OP Stack tells the fee for a number of bytes: twice that is reserved', async () => {
  const other = await startAnvil();
  const nodes = chainNodes({ settings: [{ ...settings[0]!, urls: [other.url] }], elapsed: clock, machine: clock, log });
  try {
    // Gives the number of bytes that it is called with.
    const admin = createTestClient({ chain: foundry, mode: 'anvil', transport: http(other.url) });
    await admin.setCode({ address: '0x420000000000000000000000000000000000000f', bytecode: '0x3660005260206000f3' });
    // The selector, an offset, a length, and the bytes in whole words.
    assert.equal(await dataFeeOf(nodeOf(nodes), 1000), 2n * (4n + 32n + 32n + 1024n));
  } finally {
    await nodes.close();
    await other.stop();
  }
});
