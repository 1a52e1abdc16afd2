import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEach } from '../../support/refusals.ts';

const instance = await sharedInstance();

const TYPE = 'UPDATE_ALLOWED_ORIGINS';
const KEY = 'updateAllowedOriginsResult';
const NAME = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
const sample = { allowedOrigins: ['https://example.com'] };

const stored = async () => {
  const { features } = (await instance.root.query('get_organization_configs')).body.configs;
  return features.find((feature: { name: string }) => feature.name === NAME)?.value;
};

test('the list is the value of the feature, and replaces the one before', async () => {
  const { root } = instance;
  const sent = { allowedOrigins: ['https://EXAMPLE.com:443/', 'http://localhost:3000', 'https://example.com'] };
  assert.deepEqual(resultOf(await root.submit(TYPE, sent), KEY), {});
  assert.equal(await stored(), 'https://example.com,http://localhost:3000');
  resultOf(await root.submit('SET_ORGANIZATION_FEATURE', { name: NAME, value: await stored() }), 'setOrganizationFeatureResult');
  resultOf(await root.submit(TYPE, { allowedOrigins: ['https://other.example'] }), KEY);
  assert.equal(await stored(), 'https://other.example');
  resultOf(await root.submit('REMOVE_ORGANIZATION_FEATURE', { name: NAME }), 'removeOrganizationFeatureResult');
  assert.equal(await stored(), undefined);
});

test('an empty list clears it', async () => {
  const { root } = instance;
  resultOf(await root.submit(TYPE, sample), KEY);
  assert.deepEqual(resultOf(await root.submit(TYPE, { allowedOrigins: [] }), KEY), {});
  assert.equal(await stored(), undefined);
  resultOf(await root.submit(TYPE, { allowedOrigins: [] }), KEY);
});

test('a policy may grant it', async () => {
  const { client, userId } = await instance.newUser('Operator');
  const condition = `activity.kind == 'UPDATE_ALLOWED_ORIGINS' && activity.resource == 'CONFIG'`;
  await newPolicy(instance.root, { condition, consensus: approvedBy(userId) });
  resultOf(await client.submit(TYPE, sample), KEY);
  assert.equal(await stored(), 'https://example.com');
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    [{ allowedOrigins: ['https://example.com', 'example.com'] }, 'parameters.allowedOrigins[1]', /must be an origin/],
    [{ allowedOrigins: ['http://example.com'] }, 'parameters.allowedOrigins[0]', /must be an origin/],
    [{ allowedOrigins: [`https://${'a.'.repeat(130)}example`] }, 'parameters.allowedOrigins[0]', /255/],
    [{ allowedOrigins: Array(101).fill('https://example.com') }, 'parameters.allowedOrigins', /100/],
    [
      { allowedOrigins: Array.from({ length: 50 }, (_, i) => `https://${'a'.repeat(60)}.${'b'.repeat(40)}.example${i}`) },
      'parameters.allowedOrigins',
      /4096 characters/,
    ],
  ]));
