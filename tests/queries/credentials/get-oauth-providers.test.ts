import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOauthProviders } from '../../../src/queries/credentials/get-oauth-providers.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('get_oauth_providers') as object;

test('what is there', async () => {
  const { status, body, text } = await instance.root.query('get_oauth_providers', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(getOauthProviders.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('what is not there, and what another organization has', () => {
  assert.fail('show that nobody sees what others have');
});
