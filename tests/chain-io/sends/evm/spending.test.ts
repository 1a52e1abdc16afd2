import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speedUpSpending } from '../../../../src/chain-io/sends/evm/spending.ts';
import type { SendWish, StoredFees } from '../../../../src/model/send.ts';
import { attemptOf, intentOf, sendOf } from '../../../store/repositories/sends/send-rows.ts';
import { amount } from '../../../support/full.ts';
import fc from '../../../support/properties.ts';

const GAS = 21_000n;
const feesAt = (price: bigint): StoredFees => ({ maxFeePerGas: String(price), maxPriorityFeePerGas: '1' });
const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);

test('a send and its replacements count the greatest of them, whether each was signed or not', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const replacements = fc.array(fc.record({ price, isSigned: fc.boolean() }), { maxLength: 12 });
  const property = fc.property(price, fc.constantFrom(100, 300), replacements, (first, feeLimitPercent, asked) => {
    const intent = intentOf({ gas: String(GAS), fees: feesAt(first) });
    let [bound, isExact] = [(first * BigInt(feeLimitPercent)) / 100n, true];
    let [counted, wish] = [GAS * bound, null as SendWish | null];
    let last: (typeof asked)[number] | undefined;
    const attempts = [attemptOf('org', 'send', { fees: feesAt(first) })];
    for (const one of asked) {
      const send = sendOf('org', 'send', { caip2: 'eip155:1', intent, wish });
      const { fee } = speedUpSpending({ send, intent, attempts, fees: feesAt(one.price), feeLimitPercent });
      counted += fee!;
      bound = greater(bound, one.price);
      assert.ok(counted >= GAS * bound, 'a replacement is never beyond what was counted');
      // A lesser wish that replaces one that was not signed forgets it, and counts more rather than less.
      isExact &&= last === undefined || last.isSigned || one.price >= last.price;
      last = one;
      if (isExact) assert.equal(counted, GAS * bound);
      wish = { what: 'speed-up', fees: feesAt(one.price) } as SendWish;
      if (one.isSigned) attempts.push(attemptOf('org', 'send', { fees: feesAt(one.price) }));
    }
  });
  fc.assert(property, { numRuns: amount(100, 1000) });
});
