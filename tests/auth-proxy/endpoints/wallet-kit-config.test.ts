import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { walletKitConfig } from '../../../src/auth-proxy/endpoints/wallet-kit-config.ts';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance, startInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(instance.root);
});

async function read(body: object | string = {}, of = proxy) {
  const answer = await of.ask('wallet_kit_config', body);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(walletKitConfig.result.parse(answer.body), answer.body);
  return answer.body;
}

test('a page is told the ways in that work, and their form', async () => {
  const expected = {
    enabledProviders: ['email', 'passkey', 'wallet'],
    sessionExpirationSeconds: '900',
    organizationId: instance.root.organizationId,
    otpAlphanumeric: true,
    otpLength: '9',
  };
  assert.deepEqual(await read(), expected);
  assert.deepEqual(await read(''), expected);
  resultOf(
    await instance.root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_SMS_AUTH', value: '' }),
    'setOrganizationFeatureResult',
  );
  assert.deepEqual((await read()).enabledProviders, ['email', 'sms', 'passkey', 'wallet']);
});

test('what an administrator configures is what a page is told', async () => {
  const oauthClientIds = { google: 'google-client', x: 'x-client' };
  await proxy.set({
    allowedAuthMethods: ['email', 'google', 'passkey'],
    walletKitSettings: {
      enabledSocialProviders: ['google', 'x'],
      oauthClientIds,
      oauthRedirectUrl: 'https://app.example.com/callback',
    },
    sessionExpirationSeconds: 3600,
    otpAlphanumeric: false,
    otpLength: 6,
  });
  assert.deepEqual(await read(), {
    enabledProviders: ['email', 'passkey', 'google'],
    sessionExpirationSeconds: '3600',
    organizationId: instance.root.organizationId,
    oauthClientIds,
    oauthRedirectUrl: 'https://app.example.com/callback',
    otpAlphanumeric: false,
    otpLength: '6',
  });
});

test('codes are offered only where somebody sends them', async (t) => {
  const silent = await startInstance({ DEV_OUTBOX: '0' });
  t.after(() => silent.close());
  assert.deepEqual((await read({}, await enabledProxy(silent.root))).enabledProviders, ['passkey', 'wallet']);
});
