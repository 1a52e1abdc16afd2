import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, readReceipt } from '../../../../src/chain-io/nodes/evm/values.ts';

const HASH = `0x${'a1'.repeat(32)}` as const;
const given = {
  transactionHash: HASH,
  blockHash: `0x${'b2'.repeat(32)}`,
  blockNumber: '0x10',
  status: '0x1',
  from: `0x${'c3'.repeat(20)}`,
  gasUsed: '0x5208',
  effectiveGasPrice: '0x2',
  contractAddress: null,
};

test('a receipt of the OP Stack has the payment for data, and says whether an operator charges a fee of its own', () => {
  const read = (more: object) => readReceipt(HASH, { ...given, ...more })!;
  assert.equal(costOf(read({})), 42_000n);
  assert.equal(costOf(read({ l1Fee: '0x7' })), 42_007n);
  for (const none of [{}, { operatorFeeScalar: '0x0', operatorFeeConstant: '0x0' }, { operatorFeeScalar: null }])
    assert.equal(read(none).hasOperatorFee, undefined);
  for (const fee of [{ operatorFeeScalar: '0x1' }, { operatorFeeScalar: '0x0', operatorFeeConstant: '0x5' }])
    assert.equal(read(fee).hasOperatorFee, true);
});
