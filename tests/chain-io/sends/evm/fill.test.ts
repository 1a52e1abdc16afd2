import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { Unreachable } from '../../../../src/base/errors.ts';
import { asked, estimateGas, fillFees } from '../../../../src/chain-io/sends/evm/fill.ts';
import { startAnvil } from '../../../support/anvil.ts';
import { startLiar } from '../../../support/rpc-liar.ts';
import { evm } from '../../nodes/support.ts';

const anvil = await startAnvil();
const liar = await startLiar(anvil.url);
after(async () => {
  await liar.stop();
  await anvil.stop();
});
afterEach(() => liar.truth());

const SINK = '0x00000000000000000000000000000000deadbeef';
const calls = [
  { to: SINK, value: 0n, data: '0x01' },
  { to: SINK, value: 0n, data: '0x02' },
] as const;
const anyone = () => privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as `0x${string}`;
const estimates = ['eth_estimateGas'];

test('a node that takes no code for an estimate is found out, whether it says so or not', async () => {
  const outspoken = evm(liar.url).node;
  liar.lie({ kind: 'error', code: -32602, message: 'too many arguments, want at most 2' }, { methods: estimates });
  assert.equal(await estimateGas(outspoken, { form: 'batch', from: anyone(), calls }), undefined);
  assert.deepEqual(await estimateGas(outspoken, { form: 'undelegate', from: anyone(), calls: [] }), { gas: 100_000n });
  liar.truth();
  const silent = evm(liar.url).node;
  // It answers as if it had no code.
  const deaf = { ...silent, estimateGas: ((call, at) => silent.estimateGas(call, at)) as typeof silent.estimateGas };
  assert.equal(await estimateGas(deaf, { form: 'batch', from: anyone(), calls }), undefined);
  assert.deepEqual(await estimateGas(deaf, { form: 'undelegate', from: anyone(), calls: [] }), { gas: 100_000n });
  const honest = await estimateGas(silent, { form: 'batch', from: anyone(), calls });
  assert.ok(honest && 'gas' in honest && honest.gas > 90_000n);
});

test('that no node takes code counts only if every endpoint says so', async () => {
  const other = await startLiar(anvil.url);
  try {
    liar.lie({ kind: 'error', code: -32602, message: 'too many arguments, want at most 2' }, { methods: estimates });
    for (const [lie, error] of [
      [{ kind: 'error', code: -32603, message: 'Internal error' }, /Internal error/],
      [{ kind: 'limit' }, /no RPC endpoint/],
    ] as const) {
      const { node } = evm(liar.url, other.url);
      other.lie(lie, { methods: estimates });
      await assert.rejects(estimateGas(node, { form: 'batch', from: anyone(), calls }), error);
    }
    other.lie({ kind: 'error', code: -32601, message: 'the method does not exist' }, { methods: estimates });
    assert.equal(await estimateGas(evm(liar.url, other.url).node, { form: 'batch', from: anyone(), calls }), undefined);
  } finally {
    await other.stop();
  }
});

test('a chain without EIP-1559 has one price, which may be given', async () => {
  const { node } = evm(liar.url);
  const legacy = { ...node, prices: async () => ({ kind: 'legacy', gasPrice: 9n }) as const };
  assert.deepEqual(await fillFees(legacy, {}), { kind: 'legacy', gasPrice: 9n });
  assert.deepEqual(await fillFees(legacy, { maxFeePerGas: 4n }), { kind: 'legacy', gasPrice: 4n });
  assert.deepEqual(await fillFees(legacy, { maxPriorityFeePerGas: 4n }), { kind: 'legacy', gasPrice: 9n });
  const both = { maxFeePerGas: 4n, maxPriorityFeePerGas: 2n };
  assert.deepEqual(await fillFees(legacy, both), { kind: 'eip1559', ...both });
});

test('a node’s silence, or an error not about the call, ends the request for now', async () => {
  const { node } = evm(liar.url);
  const ask = () => asked(node, () => estimateGas(node, { form: 'call', from: anyone(), calls: [calls[0]] }));
  liar.lie({ kind: 'error', code: -32601, message: 'the method does not exist' }, { methods: estimates });
  await assert.rejects(ask(), Unreachable);
  liar.lie({ kind: 'reset' });
  await assert.rejects(ask(), /^Unreachable: no RPC endpoint of eip155:31337 answers now$/);
  await assert.rejects(
    asked(node, () => new Promise(() => {}), 20),
    /answered in time/,
  );
});
