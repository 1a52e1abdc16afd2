import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOnrampTransactionStatus } from '../../../src/queries/on-ramp/get-onramp-transaction-status.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('get_onramp_transaction_status') as object;

test('a stored one is found', async () => {
  const { status, body, text } = await instance.root.query('get_onramp_transaction_status', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(getOnrampTransactionStatus.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('a missing one is not found, and neither is one of another organization', () => {
  assert.fail('show that no other organization sees it');
});
