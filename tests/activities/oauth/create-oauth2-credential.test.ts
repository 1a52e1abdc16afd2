import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_OAUTH2_CREDENTIAL';
const KEY = 'createOauth2CredentialResult';
const sample = samples('CREATE_OAUTH2_CREDENTIAL') as object;

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
    [{ ...sample, provider: undefined }, 'parameters.provider', /must be/],
    [{ ...sample, clientId: undefined }, 'parameters.clientId', /is required/],
    [{ ...sample, clientId: 'x' }, 'parameters.clientId', /must be a UUID/],
    [{ ...sample, encryptedClientSecret: undefined }, 'parameters.encryptedClientSecret', /is required/],
  ]));

test('waits for the second root user', async () => {
  await waitsForBoth(pair, TYPE, sample, KEY);
});
