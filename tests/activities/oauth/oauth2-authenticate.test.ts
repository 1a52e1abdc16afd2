import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptCredentialBundle } from '@turnkey/crypto';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { encryptedSecret, json, type SignedIn, sharedProviders } from '../../support/oauth2.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { newTarget, nonceOf } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';

const BASE_URL = 'https://custody.test';

const { issuer, env: issuerEnv } = await sharedIssuer();
const { providers, env } = await sharedProviders();
const { instance, pair } = await sharedPair({
  ...env,
  OUTBOUND_ALLOW: `${env.OUTBOUND_ALLOW},${issuerEnv.OUTBOUND_ALLOW}`,
  BASE_URL,
});
const { root } = instance;

const TYPE = 'OAUTH2_AUTHENTICATE';
const KEY = 'oauth2AuthenticateResult';

async function credentialFor(provider: string, secret = providers.clientSecret, client = root): Promise<string> {
  const encryptedClientSecret = await encryptedSecret(instance.url, secret);
  const parameters = { provider, clientId: providers.clientId, encryptedClientSecret };
  return resultOf(await client.submit('CREATE_OAUTH2_CREDENTIAL', parameters), 'createOauth2CredentialResult').oauth2CredentialId;
}

const X = await credentialFor('OAUTH2_PROVIDER_X');
const DISCORD = await credentialFor('OAUTH2_PROVIDER_DISCORD');

const keys = newKeys();
const parametersOf = (signedIn: SignedIn, oauth2CredentialId = X, more: object = {}) => ({
  oauth2CredentialId,
  ...signedIn,
  nonce: nonceOf(keys.publicKey),
  ...more,
});
const authenticate = (...given: Parameters<typeof parametersOf>) => root.submit(TYPE, parametersOf(...given));

const document = async (path: string) => {
  const response = await fetch(`${instance.url}${path}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
};

for (const [title, credential, subject, tokenPath, userPath] of [
  ['X', X, 'x:2244994945', '/2/oauth2/token', '/2/users/me'],
  ['Discord', DISCORD, 'discord:80351110224678912', '/api/oauth2/token', '/api/users/@me'],
] as const)
  test(`${title}: a code becomes a token of this service, with which the user signs up and logs in`, async () => {
    const asked = providers.asked.length;
    const { oidcToken } = resultOf(await authenticate(providers.signIn(subject.split(':')[1]!), credential), KEY);
    assert.deepEqual(providers.asked.slice(asked), [`POST ${tokenPath}`, `GET ${userPath}`]);

    const configuration = await document('/.well-known/openid-configuration');
    assert.deepEqual([configuration.issuer, configuration.jwks_uri], [BASE_URL, `${BASE_URL}/.well-known/jwks.json`]);
    const jwks = (await document('/.well-known/jwks.json')) as unknown as JSONWebKeySet;
    const checks = { issuer: BASE_URL, audience: providers.clientId, algorithms: ['ES256'] };
    const { payload } = await jwtVerify(oidcToken, createLocalJWKSet(jwks), checks);
    assert.deepEqual([payload.sub, payload.nonce], [subject, nonceOf(keys.publicKey)]);
    assert.equal(payload.exp! - payload.iat!, 600);
    assert.ok(!('encrypted_bearer_token' in payload));

    const oauthProviders = [{ providerName: title, oidcToken }];
    const rootUsers = [{ ...userWith(title, []), oauthProviders }];
    const parameters = { subOrganizationName: title, rootQuorumThreshold: 1, rootUsers };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
    const parent = root.as(root.keys, made.subOrganizationId);
    resultOf(await parent.submit('OAUTH_LOGIN', { oidcToken, publicKey: keys.publicKey }), 'oauthLoginResult');
    assert.equal((await parent.as(keys).query('whoami')).body.userId, made.rootUserIds[0]);
    const found = await root.query('list_suborgs', { filterType: 'OIDC_TOKEN', filterValue: oidcToken });
    assert.deepEqual(found.body.organizationIds, [made.subOrganizationId]);
    assert.equal(providers.asked.length, asked + 2, 'its own tokens cost no request');

    const thief = await parent.submit('OAUTH_LOGIN', { oidcToken, publicKey: newKeys().publicKey });
    refused(thief, [400, 'INVALID_OIDC_TOKEN', /its nonce must be/]);
    instance.clock.advance(700_000);
    const late = await parent.submit('OAUTH_LOGIN', { oidcToken, publicKey: keys.publicKey });
    refused(late, [400, 'INVALID_OIDC_TOKEN', /it has expired/]);
  });

test('only the service’s own key signs in its name, and it signs in no other', async () => {
  const who = await instance.newSubOrganization('Keys', 1, 1);
  const oidc = (oidcToken: string) => [{ providerName: 'Some', oidcToken }];
  const add = (oidcToken: string) =>
    who.clients[0]!.submit('CREATE_OAUTH_PROVIDERS_V2', { userId: who.userIds[0], oauthProviders: oidc(oidcToken) });
  const claims = { iss: BASE_URL, aud: providers.clientId, sub: 'x:1' };
  const asked = issuer.asked.length;
  for (const header of [{}, { kid: undefined }])
    refused(await add(issuer.signNow(claims, header)), [
      400,
      'INVALID_OIDC_TOKEN',
      header.kid === undefined && 'kid' in header ? /its signature does not match/ : /its issuer has no key with its kid and alg/,
    ]);
  assert.equal(issuer.asked.length, asked, 'nobody is asked for the keys of the service');

  const { oidcToken } = resultOf(await authenticate(providers.signIn('1')), KEY);
  const [head] = oidcToken.split('.');
  const payload = Buffer.from(JSON.stringify({ ...decodeJwt(oidcToken), iss: issuer.url })).toString('base64url');
  const signed = instance.engine.vault.oauth2.signIdentityToken(Buffer.from(`${head}.${payload}`));
  const signature = Buffer.from(signed).toString('base64url');
  refused(await add(`${head}.${payload}.${signature}`), [
    400,
    'INVALID_OIDC_TOKEN',
    /its issuer has no key with its kid and alg/,
  ]);
});

test('the bearer token is sealed to the key that was given for it', async () => {
  const target = newTarget();
  for (const bearerTokenTargetPublicKey of [target.publicKeyUncompressed, target.publicKey]) {
    const answer = await authenticate(providers.signIn('77'), X, { bearerTokenTargetPublicKey });
    const { oidcToken } = resultOf(answer, KEY);
    const { encrypted_bearer_token: sealed } = JSON.parse(atob(oidcToken.split('.')[1]!));
    const bearer = Buffer.from(decryptCredentialBundle(sealed, target.privateKey), 'hex').toString();
    const me = await fetch(`${providers.url}/2/users/me`, { headers: { authorization: `Bearer ${bearer}` } });
    assert.equal(((await me.json()) as { data: { id: string } }).data.id, '77');
    assert.ok(!answer.text.includes(bearer));
  }
});

test('a code works once: the same body has the same answer, also many at a time, and another has none', async () => {
  const signedIn = providers.signIn('5');
  const asked = providers.asked.length;
  const body = root.bodyOf(TYPE, parametersOf(signedIn));
  const answers = await Promise.all([1, 2, 3, 4].map(() => root.send(submitPath(TYPE), body)));
  const tokens = new Set(answers.map((answer) => resultOf(answer, KEY).oidcToken));
  assert.equal(tokens.size, 1);
  assert.equal(providers.asked.length, asked + 2, 'the provider is asked once');
  assert.ok(tokens.has(resultOf(await root.send(submitPath(TYPE), body), KEY).oidcToken));

  const again = await authenticate(signedIn);
  refused(again, [400, 'REQUEST_INVALID', /^X rejected the authorization code: it was used before.* Sign in again/]);
  const failed = root.bodyOf(TYPE, parametersOf(signedIn));
  const first = await root.send(submitPath(TYPE), failed);
  const count = providers.asked.length;
  assert.equal((await root.send(submitPath(TYPE), failed)).text, first.text);
  assert.equal(providers.asked.length, count, 'a refusal is stored too');
});

test('what changes in the organization meanwhile costs no code', async () => {
  const signedIn = providers.signIn('6');
  const asked = providers.asked.length;
  providers.answer('/2/users/me', (_, response) => {
    // A change of facts: the decision is made anew.
    const tag = { userTagName: 'Meanwhile', userIds: [instance.credentials.userId] };
    void root.submit('CREATE_USER_TAG', tag).then(() => json(response, 200, { data: { id: '6' } }));
  });
  const answer = await authenticate(signedIn);
  providers.answer('/2/users/me', undefined);
  assert.equal(decodeJwt(resultOf(answer, KEY).oidcToken).sub, 'x:6');
  assert.equal(providers.asked.length, asked + 2);
});

test('a credential that is changed or deleted meanwhile', async () => {
  for (const [type, more, status, code, text] of [
    ['UPDATE_OAUTH2_CREDENTIAL', { provider: 'OAUTH2_PROVIDER_X', clientId: 'other' }, 400, 'REQUEST_INVALID', /was changed/],
    ['DELETE_OAUTH2_CREDENTIAL', {}, 404, 'OAUTH2_CREDENTIAL_NOT_FOUND', /not found/],
  ] as const) {
    const oauth2CredentialId = await credentialFor('OAUTH2_PROVIDER_X');
    const encryptedClientSecret = await encryptedSecret(instance.url, 'other');
    providers.answer('/2/users/me', (_, response) => {
      const secret = type === 'UPDATE_OAUTH2_CREDENTIAL' ? { encryptedClientSecret } : {};
      void root.submit(type, { oauth2CredentialId, ...more, ...secret }).then(() => json(response, 200, { data: { id: '7' } }));
    });
    const answer = await authenticate(providers.signIn('7'), oauth2CredentialId);
    providers.answer('/2/users/me', undefined);
    refused(answer, [status, code, text]);
  }
});

test('whose code it was is never told in the name of another client', async () => {
  const oauth2CredentialId = await credentialFor('OAUTH2_PROVIDER_X');
  const encryptedClientSecret = await encryptedSecret(instance.url, 'other');
  const victims = { oauth2CredentialId, provider: 'OAUTH2_PROVIDER_X', clientId: 'the client of another application' };
  providers.answer('/2/users/me', async (_, response) => {
    resultOf(
      await root.submit('UPDATE_OAUTH2_CREDENTIAL', { ...victims, encryptedClientSecret }),
      'updateOauth2CredentialResult',
    );
    // A change of facts: the decision is made anew, with the credential as it is by now.
    const tag = { userTagName: 'Anew', userIds: [instance.credentials.userId] };
    resultOf(await root.submit('CREATE_USER_TAG', tag), 'createUserTagResult');
    json(response, 200, { data: { id: '7' } });
  });
  const answer = await authenticate(providers.signIn('7'), oauth2CredentialId);
  providers.answer('/2/users/me', undefined);
  refused(answer, [400, 'OAUTH2_PROVIDER_NOT_CONFIGURED', /./]);
});

test('what the provider refuses is told in plain words, without what was sent', async () => {
  const signedIn = providers.signIn('8');
  const notAccepted = /^X rejected the authorization code/;
  const cases: [object, RegExp][] = [
    [{ ...signedIn, codeVerifier: 'another verifier' }, notAccepted],
    [{ ...providers.signIn('8'), redirectUri: 'https://thief.test' }, notAccepted],
    [{ ...providers.signIn('8'), authCode: 'unknown' }, notAccepted],
  ];
  for (const [given, text] of cases) {
    const answer = await authenticate(given as SignedIn);
    refused(answer, [400, 'REQUEST_INVALID', text]);
    for (const secret of [...Object.values(given), providers.clientSecret])
      assert.ok(!answer.body.message.includes(secret), answer.text);
  }
  const wrong = await credentialFor('OAUTH2_PROVIDER_DISCORD', 'wrong secret');
  refused(await authenticate(providers.signIn('8'), wrong), [
    400,
    'OAUTH2_PROVIDER_NOT_CONFIGURED',
    /does not accept the client ID and secret/,
  ]);
});

test('answers that say nothing, or too much', async () => {
  const token = (value: unknown, status = 200) => ['/2/oauth2/token', status, value] as const;
  const user = (value: unknown, status = 200) => ['/2/users/me', status, value] as const;
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`);
  const noField = /^failed to parse user JSON: missing field data.id/;
  const noToken = /^X answered without a bearer token/;
  const cases: [readonly [string, number, unknown], number, RegExp][] = [
    [token({ token_type: 'bearer' }), 400, noToken],
    [token({ access_token: 'abc' }), 400, noToken],
    [token({ access_token: 'two\r\nheaders: x', token_type: 'bearer' }), 400, noToken],
    [token({ access_token: 'abc', token_type: 'mac' }), 400, noToken],
    [token({ access_token: 'a'.repeat(5000), token_type: 'bearer' }), 400, noToken],
    [token({ access_token: 'abc', token_type: 'bearer', deep }), 400, noToken],
    [token('x'.repeat(70_000)), 400, /^X cannot be called: its answer has more than 65536 bytes/],
    [token({}, 404), 400, /^X returned no token for the authorization code \(status 404\)/],
    [token({}, 500), 503, /^X is unreachable now: X answered with status 500\..*sign in again: send the same body again/],
    [token({ error: 'invalid_grant' }, 429), 503, /status 429/],
    [user({ data: {} }), 400, noField],
    [user({ data: { id: 5 } }), 400, noField],
    [user({ data: { id: 'x:5' } }), 400, noField],
    [user({ id: '5' }), 400, noField],
    [user(['5']), 400, noField],
    [
      user({ title: 'Forbidden' }, 403),
      400,
      /^X does not let this application read the user \(status 403\): it needs the scopes/,
    ],
    [user({}, 503), 503, /status 503/],
  ];
  for (const [[path, status, value], expected, text] of cases) {
    providers.answer(path, (request, response) => {
      request.resume();
      json(response, status, value);
    });
    const answer = await authenticate(providers.signIn('9'));
    providers.answer(path, undefined);
    refused(answer, [expected, expected === 503 ? 'UNAVAILABLE' : 'REQUEST_INVALID', text]);
  }
});

test('no redirect is followed: a secret goes to the provider alone', async () => {
  let reached = 0;
  providers.answer('/elsewhere', (_, response) => {
    reached++;
    json(response, 200, { access_token: 'abc', token_type: 'bearer' });
  });
  for (const status of [301, 302, 303, 307, 308]) {
    providers.answer('/2/oauth2/token', (_, response) => response.writeHead(status, { location: '/elsewhere' }).end());
    refused(await authenticate(providers.signIn('10')), [400, 'REQUEST_INVALID', new RegExp(`status ${status}`)]);
  }
  providers.answer('/2/oauth2/token', undefined);
  assert.equal(reached, 0);
});

test('a provider inside of the network is not asked, unless the operator allowed it', async () => {
  const { OUTBOUND_ALLOW: _, ...rest } = env;
  const closed = await startInstance({ ...rest, OAUTH2_DISCORD_URL: providers.url.replace('http:', 'https:') });
  closed.clock.advance(instance.clock.now() - closed.clock.now());
  try {
    const asked = providers.asked.length;
    for (const [provider, text] of [
      ['OAUTH2_PROVIDER_X', /^X cannot be called: localhost:\d+ must be called over https/],
      ['OAUTH2_PROVIDER_DISCORD', /^Discord cannot be called: localhost:\d+ has no public address/],
    ] as const) {
      const encryptedClientSecret = await encryptedSecret(closed.url, providers.clientSecret);
      const credential = { provider, clientId: providers.clientId, encryptedClientSecret };
      const made = await closed.root.submit('CREATE_OAUTH2_CREDENTIAL', credential);
      const { oauth2CredentialId } = resultOf(made, 'createOauth2CredentialResult');
      const answer = await closed.root.submit(TYPE, parametersOf(providers.signIn('11'), oauth2CredentialId));
      refused(answer, [400, 'REQUEST_INVALID', text]);
    }
    assert.equal(providers.asked.length, asked);
  } finally {
    await closed.close();
  }
});

test('codes, verifiers and the token are shown to their sender alone, and are nowhere in the database', async () => {
  const signedIn = providers.signIn('12');
  const { activity } = (await authenticate(signedIn)).body;
  const { oidcToken } = activity.result[KEY];
  const { client } = await instance.newUser('Looks');
  const seen = (await client.query('get_activity', { activityId: activity.id })).body.activity;
  const { authCode, codeVerifier } = seen.intent.oauth2AuthenticateIntent;
  assert.deepEqual([authCode, codeVerifier, seen.result[KEY].oidcToken], ['', '', '']);
  const [row] = await instance.raw('SELECT body, result FROM activities WHERE id = $1', activity.id);
  const stored = Buffer.concat([Buffer.from(row!.body as Uint8Array), Buffer.from(row!.result as string)]);
  for (const secret of [signedIn.authCode, signedIn.codeVerifier, oidcToken]) assert.ok(!stored.includes(secret));
});

test('a credential that is not there, or another organization’s', async () => {
  const missing: [number, string, RegExp] = [404, 'OAUTH2_CREDENTIAL_NOT_FOUND', /^OAuth 2.0 credential not found/];
  refused(await authenticate(providers.signIn('13'), NOBODY), missing);
  const other = await instance.newSubOrganization('Other', 1, 1);
  refused(await other.clients[0]!.submit(TYPE, parametersOf(providers.signIn('13'))), missing);
});

test('waits for the second root user, and spends the code when it runs', async () => {
  const encryptedClientSecret = await encryptedSecret(instance.url, providers.clientSecret);
  const credential = { provider: 'OAUTH2_PROVIDER_X', clientId: providers.clientId, encryptedClientSecret };
  const own = resultOf(await agreed(pair, 'CREATE_OAUTH2_CREDENTIAL', credential), 'createOauth2CredentialResult');
  const asked = providers.asked.length;
  const done = await agreed(pair, TYPE, parametersOf(providers.signIn('15'), own.oauth2CredentialId));
  assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  assert.equal(providers.asked.length, asked + 2);
});

test('bad parameters are named, in the words that clients know', () => {
  const sample = parametersOf(providers.signIn('16'));
  return refusesEach(root, TYPE, [
    [{ ...sample, oauth2CredentialId: 'x' }, 'parameters.oauth2CredentialId', /must be a UUID/],
    [{ ...sample, bearerTokenTargetPublicKey: 'ab' }, 'parameters.bearerTokenTargetPublicKey', /P-256 public key/],
    [{ ...sample, bearerTokenTargetPublicKey: '' }, 'parameters.bearerTokenTargetPublicKey', /P-256 public key/],
  ]);
});
