import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFiatOnRampCredentials } from '../../../src/queries/on-ramp/list-fiat-on-ramp-credentials.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('list_fiat_on_ramp_credentials') as object;

test('a stored one is found', async () => {
  const { status, body, text } = await instance.root.query('list_fiat_on_ramp_credentials', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(listFiatOnRampCredentials.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('a missing one is not found, and neither is one of another organization', () => {
  assert.fail('show that no other organization sees it');
});
