import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeJwt } from 'jose';
import { enabledProxy, type TestProxy } from '../../support/auth-proxy.ts';
import { type Answer, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { encryptedSecret, sharedProviders } from '../../support/oauth2.ts';
import { nonceOf } from '../../support/published.ts';
import { refused } from '../../support/refusals.ts';

const { providers, env } = await sharedProviders();
const instance = await sharedInstance(env);
const { root } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const ok = (answer: Answer) => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

async function addCredential(provider: string, clientId: string, secret: string): Promise<void> {
  const parameters = { provider, clientId, encryptedClientSecret: await encryptedSecret(instance.url, secret) };
  resultOf(await root.submit('CREATE_OAUTH2_CREDENTIAL', parameters), 'createOauth2CredentialResult');
}

const request = (id: string, provider: string, more: object = {}) => ({
  provider,
  clientId: providers.clientId,
  ...providers.signIn(id),
  nonce: nonceOf(newKeys().publicKey),
  ...more,
});

test('the credential of provider and client is used, the latest of them; the token signs up and logs in', async () => {
  refused(await proxy.ask('oauth2_authenticate', request('2244994945', 'OAUTH2_PROVIDER_X')), [
    404,
    'OAUTH2_CREDENTIAL_NOT_FOUND',
    /has none with this provider and clientId/,
  ]);
  await addCredential('OAUTH2_PROVIDER_X', providers.clientId, 'a secret that was replaced');
  await addCredential('OAUTH2_PROVIDER_X', 'another client', providers.clientSecret);
  await addCredential('OAUTH2_PROVIDER_DISCORD', providers.clientId, providers.clientSecret);
  await addCredential('OAUTH2_PROVIDER_X', providers.clientId, providers.clientSecret);
  const keys = newKeys();
  const nonce = nonceOf(keys.publicKey);
  const made = ok(await proxy.ask('oauth2_authenticate', request('2244994945', 'OAUTH2_PROVIDER_X', { nonce })));
  assert.deepEqual(Object.keys(made), ['oidcToken']);
  const { sub, nonce: bound } = decodeJwt(made.oidcToken);
  assert.deepEqual([sub, bound], ['x:2244994945', nonce]);

  const oauthProviders = [{ providerName: 'X', oidcToken: made.oidcToken }];
  ok(await proxy.ask('signup_v2', { apiKeys: [], authenticators: [], oauthProviders }));
  ok(await proxy.ask('oauth_login', { oidcToken: made.oidcToken, publicKey: keys.publicKey }));
  assert.match(
    decodeJwt(ok(await proxy.ask('oauth2_authenticate', request('80351110224678912', 'OAUTH2_PROVIDER_DISCORD'))).oidcToken).sub!,
    /^discord:/,
  );
});

test('ways that the application does not offer', async () => {
  await proxy.set({ allowedAuthMethods: ['discord'] });
  refused(await proxy.ask('oauth2_authenticate', request('2244994945', 'OAUTH2_PROVIDER_X')), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /^OAUTH disallowed: x is not among/,
  ]);
  const { oidcToken } = ok(await proxy.ask('oauth2_authenticate', request('80351110224678912', 'OAUTH2_PROVIDER_DISCORD')));
  await proxy.set({ allowedAuthMethods: ['x'] });
  const oauthProviders = [{ providerName: 'Discord', oidcToken }];
  refused(await proxy.ask('signup_v2', { apiKeys: [], authenticators: [], oauthProviders }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /discord is not among/,
  ]);
  await proxy.set({ allowedAuthMethods: ['x', 'discord'] });
});

test('a code that the provider does not take, and fields that are missing', async () => {
  const wrong = request('2244994945', 'OAUTH2_PROVIDER_X', { authCode: 'none' });
  const answer = await proxy.ask('oauth2_authenticate', wrong);
  refused(answer, [400, 'REQUEST_INVALID', /./]);
  for (const field of ['provider', 'clientId', 'authCode', 'redirectUri', 'codeVerifier', 'nonce'])
    refused(
      await proxy.ask('oauth2_authenticate', request('2244994945', 'OAUTH2_PROVIDER_X', { [field]: undefined })),
      [400, 'REQUEST_INVALID', /./],
      field,
    );
});
