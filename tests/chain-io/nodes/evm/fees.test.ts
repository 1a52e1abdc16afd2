import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EvmFees, type EvmPrices, feesFor, pricesOf, replacementFees } from '../../../../src/chain-io/nodes/evm/fees.ts';
import fc from '../../../support/properties.ts';

const GWEI = 1_000_000_000n;

test('the usual fee is the median of the blocks that had any, and never below what the node suggests', () => {
  const rewards = [
    [1n, 3n, 9n],
    [0n, 0n, 0n],
    [1n, 5n, 9n],
    [2n, 4n, 7n],
  ];
  assert.deepEqual(pricesOf({ baseFees: [9n, 8n, 7n], rewards }, 0n), {
    kind: 'eip1559',
    baseFee: 7n,
    priorityFees: [1n, 4n, 9n],
  });
  assert.deepEqual(pricesOf({ baseFees: [9n, 7n], rewards }, 6n), { kind: 'eip1559', baseFee: 7n, priorityFees: [1n, 6n, 9n] });
  assert.deepEqual(pricesOf({ baseFees: [9n, 0n], rewards: [] }, 2n), {
    kind: 'eip1559',
    baseFee: 0n,
    priorityFees: [2n, 2n, 2n],
  });
});

test('a replacement is what nodes take, pays what is paid now, and never more than its bound', () => {
  const before: EvmFees = { kind: 'eip1559', maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 1n * GWEI };
  const calm: EvmPrices = { kind: 'eip1559', baseFee: GWEI, priorityFees: [1n, 1n, 1n] };
  assert.deepEqual(replacementFees(before, calm, 100n * GWEI), {
    kind: 'eip1559',
    maxFeePerGas: 22_500_000_001n,
    maxPriorityFeePerGas: 1_125_000_001n,
  });
  const busy: EvmPrices = { kind: 'eip1559', baseFee: 40n * GWEI, priorityFees: [GWEI, 2n * GWEI, 3n * GWEI] };
  assert.deepEqual(replacementFees(before, busy, 100n * GWEI), {
    kind: 'eip1559',
    maxFeePerGas: 82n * GWEI,
    maxPriorityFeePerGas: 2n * GWEI,
  });
  assert.equal(replacementFees(before, calm, 22n * GWEI), undefined);
  assert.deepEqual(replacementFees({ kind: 'legacy', gasPrice: 100n }, { kind: 'legacy', gasPrice: 500n }, 600n), {
    kind: 'legacy',
    gasPrice: 500n,
  });
});

const wei = fc.bigInt({ min: 0n, max: 10n ** 12n });
const prices = fc.oneof(
  fc.record({ kind: fc.constant('eip1559' as const), baseFee: wei, priorityFees: fc.tuple(wei, wei, wei) }),
  fc.record({ kind: fc.constant('legacy' as const), gasPrice: wei }),
);

test('every replacement raises each fee by more than a tenth, within its bound', () => {
  fc.assert(
    fc.property(prices, prices, wei, (first, then, most) => {
      const before = feesFor(first);
      const after = replacementFees(before, then, most);
      if (after === undefined) return;
      const pairs =
        before.kind === 'legacy' && after.kind === 'legacy'
          ? [[before.gasPrice, after.gasPrice]]
          : before.kind === 'eip1559' && after.kind === 'eip1559'
            ? [
                [before.maxFeePerGas, after.maxFeePerGas],
                [before.maxPriorityFeePerGas, after.maxPriorityFeePerGas],
              ]
            : assert.fail('a replacement is of the same kind');
      for (const [old, now] of pairs as [bigint, bigint][]) assert.ok(now * 10n > old * 11n && now <= most);
      if (after.kind === 'eip1559') assert.ok(after.maxPriorityFeePerGas <= after.maxFeePerGas);
    }),
  );
});
