import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';

const instance = await sharedInstance();

const TYPE = 'SET_ORGANIZATION_FEATURE';
const KEY = 'setOrganizationFeatureResult';
const MAIL = 'FEATURE_NAME_EMAIL_AUTH';
const HOOK = 'FEATURE_NAME_WEBHOOK';

test('switched on, and given another value', async () => {
  const { root } = instance;
  const set = async (name: string, value: string) => resultOf(await root.submit(TYPE, { name, value }), KEY).features;
  const start = [MAIL, 'FEATURE_NAME_OTP_EMAIL_AUTH'].map((name) => ({ name, value: '' }));
  assert.deepEqual(await set(HOOK, 'https://example.com/a'), [...start, { name: HOOK, value: 'https://example.com/a' }]);
  const sms = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
  const all = [...start, sms, { name: HOOK, value: 'https://example.com/a' }];
  assert.deepEqual(await set(sms.name, ''), all);
  assert.deepEqual((await root.query('get_organization_configs')).body.configs.features, all);
  assert.deepEqual((await set(HOOK, 'https://example.com/b'))[3].value, 'https://example.com/b');
});

test('allowed origins are kept as browsers write them', async () => {
  const name = 'FEATURE_NAME_WEBAUTHN_ORIGINS';
  const sent = { name, value: 'https://Example.com:443/ , http://localhost:3000,https://example.com' };
  const { features } = resultOf(await instance.root.submit(TYPE, sent), KEY);
  assert.deepEqual(
    features.find((feature: { name: string }) => feature.name === name),
    { name, value: 'https://example.com,http://localhost:3000' },
  );
  for (const value of ['', ',', 'example.com', 'https://example.com,', 'http://example.com', 'https://example.com/login'])
    refused(await instance.root.submit(TYPE, { name, value }), [400, 'REQUEST_INVALID', /must be an origin/], 'parameters.value');
});

test('what it switches on works at once', async () => {
  const user = { ...userWith('Mail', []), userEmail: 'a@example.com', userTags: [] };
  const sub = await instance.newSubOrganization('Features', 1, 1);
  const [root] = sub.clients;
  resultOf(await root!.submit('REMOVE_ORGANIZATION_FEATURE', { name: MAIL }), 'removeOrganizationFeatureResult');
  const otp = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' };
  resultOf(await root!.submit('REMOVE_ORGANIZATION_FEATURE', otp), 'removeOrganizationFeatureResult');
  const answer = await root!.submit('CREATE_USERS_V4', { users: [user] });
  refused(answer, [400, 'REQUEST_INVALID', /at least one valid credential/]);
  resultOf(await root!.submit(TYPE, { name: MAIL, value: '' }), KEY);
  resultOf(await root!.submit('CREATE_USERS_V4', { users: [user] }), 'createUsersResult');
});

test('no policy grants it', async () => {
  const keys = newKeys();
  const { userId } = await instance.newUser('Policy', { apiKeys: userWith('', [keys]).apiKeys });
  const consensus = approvedBy(userId);
  const allow = { policyName: 'everything', effect: 'EFFECT_ALLOW', consensus, notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  const answer = await instance.root.as(keys).submit(TYPE, { name: MAIL, value: '' });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('bad parameters are named', () =>
  refusesEach(instance.root, TYPE, [
    ...['', 'example.com', 'http://example.com', 'ftp://localhost/'].map(
      (value) => [{ name: HOOK, value }, 'parameters.value', /must be an https URL/] as [object, string, RegExp],
    ),
    [{ name: MAIL, value: 'x'.repeat(5000) }, 'parameters.value', /4096/],
  ]));
