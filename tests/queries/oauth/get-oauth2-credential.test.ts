import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getOauth2Credential } from '../../../src/queries/oauth/get-oauth2-credential.ts';
import { samples } from '../../support/all-samples.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();

const sample = samples('get_oauth2_credential') as object;

test('what is there', async () => {
  const { status, body, text } = await instance.root.query('get_oauth2_credential', sample);
  assert.equal(status, 200, text);
  assert.deepEqual(getOauth2Credential.result.parse(body), body, 'the answer has its declared shape');
  assert.fail('compare it with what was made');
});

test('what is not there, and what another organization has', () => {
  assert.fail('show that nobody sees what others have');
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'get_oauth2_credential', [
    [{ ...sample, oauth2CredentialId: undefined }, 'oauth2CredentialId', /is required/],
    [{ ...sample, oauth2CredentialId: 'x' }, 'oauth2CredentialId', /must be a UUID/],
  ]));
