import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'OAUTH2_AUTHENTICATE';
const KEY = 'oauth2AuthenticateResult';
const sample = samples('OAUTH2_AUTHENTICATE') as object;

test('accepted', async () => {
  const result = resultOf(await instance.root.submit(TYPE, sample), KEY);
  assert.fail(`compare ${JSON.stringify(result)} with what it should be, and read by a query what changed`);
});

test('each listed error', () => {
  assert.fail('show when each code of errors is answered, and that nothing changed then');
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, sample));

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ ...sample, oauth2CredentialId: undefined }, 'parameters.oauth2CredentialId', /is required/],
    [{ ...sample, oauth2CredentialId: 'x' }, 'parameters.oauth2CredentialId', /must be a UUID/],
    [{ ...sample, authCode: undefined }, 'parameters.authCode', /is required/],
    [{ ...sample, redirectUri: undefined }, 'parameters.redirectUri', /is required/],
    [{ ...sample, codeVerifier: undefined }, 'parameters.codeVerifier', /is required/],
    [{ ...sample, nonce: undefined }, 'parameters.nonce', /is required/],
  ]));

test('waits for the second root user', async () => {
  await waitsForBoth(pair, TYPE, sample, KEY);
});
