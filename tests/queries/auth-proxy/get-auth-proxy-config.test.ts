import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });
const { root } = instance;
const NAME = 'get_auth_proxy_config';
const update = async (settings: object) =>
  resultOf(await root.submit('UPDATE_AUTH_PROXY_CONFIG', settings), 'updateAuthProxyConfigResult').configId as string;

test('there is none before somebody makes it, and never in a sub-organization', async () => {
  assert.deepEqual((await root.query(NAME, {})).body, {});
  await update({});
  const sub = await instance.newSubOrganization('Below', 1, 1);
  const answer = await sub.clients[0]!.query(NAME, {});
  assert.deepEqual([answer.status, answer.body], [200, {}]);
});

test('defaults, and what was set, by the names that it was set with', async () => {
  const configId = await update({});
  const shown = (await root.query(NAME, {})).body.authProxyConfig;
  const { createdAt, updatedAt, ...rest } = shown;
  assert.equal(typeof createdAt.seconds, typeof updatedAt.nanos);
  const defaults = {
    configId,
    organizationId: root.organizationId,
    enabled: false,
    allowedOrigins: ['*'],
    emailCustomizationParams: {},
    smsCustomizationParams: {},
    walletKitSettings: { enabledSocialProviders: [], oauthClientIds: {} },
    sessionExpirationSeconds: 900,
    verificationTokenRequiredForGetAccountPii: false,
    socialLinkingClientIds: [],
    captchaEnabled: false,
  };
  assert.deepEqual(rest, defaults);
  const { userId } = resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  const settings = {
    allowedOrigins: ['https://app.example.com'],
    allowedAuthMethods: ['email', 'passkey'],
    sendFromEmailAddress: 'login@example.com',
    sendFromEmailSenderName: 'Sample',
    replyToEmailAddress: 'help@example.com',
    emailCustomizationParams: { appName: 'Sample', logoUrl: 'https://app.example.com/logo.png' },
    smsCustomizationParams: { template: 'Your code is {{.OtpCode}}' },
    walletKitSettings: {
      enabledSocialProviders: ['google'],
      oauthClientIds: { google: 'a client' },
      oauthRedirectUrl: 'https://app.example.com/callback',
    },
    otpExpirationSeconds: 120,
    verificationTokenExpirationSeconds: 600,
    sessionExpirationSeconds: 3600,
    otpAlphanumeric: false,
    otpLength: 6,
    verificationTokenRequiredForGetAccountPii: true,
    socialLinkingClientIds: ['a client'],
    captchaEnabled: true,
  };
  assert.equal(await update(settings), configId);
  const changed = (await root.query(NAME, {})).body.authProxyConfig;
  assert.deepEqual(
    { ...changed, createdAt, updatedAt },
    { ...defaults, ...settings, userId, enabled: true, createdAt, updatedAt },
  );
  assert.ok(!/[pP]ublicKey|sealed|keyId/.test(JSON.stringify(changed)), 'nothing of the key');
});

test('users of the organization may read it, and nobody else', async () => {
  const { client } = await instance.newUser('Reader');
  assert.equal((await client.query(NAME, {})).status, 200);
  const other = await newTopLevel(instance, 'Another house');
  assert.equal((await other.client.as(other.client.keys, root.organizationId).query(NAME, {})).status, 401);
});
