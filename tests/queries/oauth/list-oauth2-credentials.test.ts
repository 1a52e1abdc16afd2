import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOauth2Credentials } from '../../../src/queries/oauth/list-oauth2-credentials.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const sample = samples('list_oauth2_credentials') as object;

test('what is there', async () => {
  const { status, body, text } = await instance.root.query('list_oauth2_credentials', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(listOauth2Credentials.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('what is not there, and what another organization has', () => {
  assert.fail('show that nobody sees what others have');
});
