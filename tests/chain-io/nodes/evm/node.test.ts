import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { keccak256 } from 'viem';
import { feesFor } from '../../../../src/chain-io/nodes/evm/fees.ts';
import type { Hex } from '../../../../src/chain-io/nodes/read.ts';
import { type Anvil, startAnvil } from '../../../support/anvil.ts';
import { rpc } from '../../../support/rpc-liar.ts';
import { ALICE, BOB, evm, transfer } from '../support.ts';

let anvil: Anvil;
before(async () => {
  anvil = await startAnvil('--no-mining');
});
after(() => anvil.stop());

const mine = () => rpc(anvil.url, 'evm_mine');
const alice = ALICE.address.toLowerCase() as Hex;

test('a transaction is filled, sent, found waiting, and found in a block', async () => {
  const { node } = evm(anvil.url);
  const nonce = await node.nonce(alice, 'pending');
  const prices = await node.prices();
  assert.ok(prices.kind === 'eip1559' && prices.baseFee > 0n);
  const fees = feesFor(prices);
  assert.ok(fees.kind === 'eip1559' && fees.maxFeePerGas >= fees.maxPriorityFeePerGas);
  const call = { from: alice, to: BOB.address.toLowerCase() as Hex, value: 5n };
  assert.deepEqual(await node.estimateGas(call), { gas: 21_000n });
  const signed = await transfer({ nonce: Number(nonce), value: 5n, maxFeePerGas: fees.maxFeePerGas });
  const hash = keccak256(signed);
  assert.deepEqual(await node.receipt(hash), { value: undefined, answered: 1, endpoints: 1 });
  assert.equal((await node.send(signed)).outcome, 'sent');
  assert.equal((await node.send(signed)).outcome, 'already known');
  const waiting = (await node.transaction(hash)).value!;
  assert.deepEqual([waiting.hash, waiting.from, waiting.nonce, waiting.blockHash], [hash, alice, nonce, undefined]);
  assert.equal(await node.nonce(alice, 'latest'), nonce);
  assert.equal(await node.nonce(alice, 'pending'), nonce + 1n);
  await mine();
  const { value: receipt } = await node.receipt(hash);
  const { value: block } = await node.block(receipt!.blockNumber);
  assert.deepEqual([receipt!.succeeded, receipt!.gasUsed, receipt!.blockHash], [true, 21_000n, block!.hash]);
  assert.equal((await node.block({ hash: block!.hash })).value!.number, block!.number);
  assert.equal((await node.block({ hash: `0x${'ab'.repeat(32)}` })).value, undefined);
  assert.equal((await node.block(block!.number + 1000n)).value, undefined);
  assert.equal(await node.nonce(alice, 'latest'), nonce + 1n);
  assert.equal((await node.send(signed)).outcome, 'nonce too low');
});

test('each refusal of anvil is told apart', async () => {
  const { node } = evm(anvil.url);
  const nonce = Number(await node.nonce(alice, 'latest'));
  const outcome = async (given: Parameters<typeof transfer>[0]) => (await node.send(await transfer(given))).outcome;
  assert.equal(await outcome({ nonce }), 'sent');
  assert.equal(await outcome({ nonce, value: 2n }), 'replacement underpriced');
  assert.equal(await outcome({ nonce, value: 2n, maxFeePerGas: 20_000_000_000n }), 'sent');
  assert.equal(await outcome({ nonce: nonce + 1, value: 10n ** 30n }), 'insufficient funds');
  assert.equal(await outcome({ nonce: nonce + 1, maxFeePerGas: 1n }), 'underpriced');
  assert.equal(await outcome({ nonce: nonce + 1, gas: 20_000n }), 'gas limit');
  assert.equal(await outcome({ nonce: nonce + 1, gas: 200_000_000n }), 'gas limit');
  assert.equal(await outcome({ nonce: nonce + 1, chainId: 1 }), 'invalid');
  assert.equal((await node.send('0x02')).outcome, 'invalid');
  await mine();
});

test('what a call and an estimation refuse is an answer', async () => {
  const { node } = evm(anvil.url);
  const at = '0x00000000000000000000000000000000000e0e0e';
  // Reverts with its call data.
  await rpc(anvil.url, 'anvil_setCode', [at, '0x365f5f37365ffd']);
  const refused = { why: 'reverted', data: '0xdeadbeef' };
  for (const made of [
    await node.call({ to: at, data: '0xdeadbeef' }),
    await node.estimateGas({ from: alice, to: at, data: '0xdeadbeef' }),
  ]) {
    assert.ok('refused' in made);
    assert.deepEqual({ why: made.refused.why, data: made.refused.data }, refused);
  }
  assert.equal(await node.code(at), '0x365f5f37365ffd');
  assert.deepEqual(await node.call({ to: BOB.address, data: '0x' }), { output: '0x' });
  // Never ends.
  await rpc(anvil.url, 'anvil_setCode', [at, '0x5b5f56']);
  const endless = await node.estimateGas({ from: alice, to: at });
  assert.ok('refused' in endless && endless.refused.why === 'reverted', inspect(endless));
  assert.equal(await node.balance(at), 0n);
  assert.equal(BigInt(await node.storage(at, '0x0')), 0n);
});

test('a delegation can be estimated, and a call on top of it made', async () => {
  const { node } = evm(anvil.url);
  const at = '0x00000000000000000000000000000000000e0e0e';
  const { address, chainId, nonce, r, s, yParity } = await BOB.signAuthorization({ address: at, chainId: 31337, nonce: 0 });
  const authorizations = [{ address, chainId: BigInt(chainId), nonce: BigInt(nonce), r, s, yParity: yParity as 0 | 1 }];
  const made = await node.estimateGas({ from: alice, to: ALICE.address, authorizations });
  assert.ok('gas' in made && made.gas > 21_000n, inspect(made));
});

test('a chain without base fees has a gas price', async () => {
  const legacy = await startAnvil('--hardfork', 'berlin');
  try {
    const { node } = evm(legacy.url);
    const prices = await node.prices();
    assert.ok(prices.kind === 'legacy' && prices.gasPrice > 0n, inspect(prices));
  } finally {
    await legacy.stop();
  }
});

test('a block that falls out takes its receipts with it', async () => {
  const { node } = evm(anvil.url);
  const signed = await transfer({ nonce: Number(await node.nonce(alice, 'latest')) });
  assert.equal((await node.send(signed)).outcome, 'sent');
  await mine();
  const { value: receipt } = await node.receipt(keccak256(signed));
  await rpc(anvil.url, 'anvil_reorg', [1, []]);
  assert.equal((await node.receipt(keccak256(signed))).value, undefined);
  assert.notEqual((await node.block(receipt!.blockNumber)).value?.hash, receipt!.blockHash);
});
