import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { attested } from '../support/attested.ts';
import { type Client, type Keys, newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedIssuer, startIssuer } from '../support/oidc.ts';
import { nonceOf } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { newPolicy } from './authority.ts';

/** Stamps by keys that an ID token vouches for. */
const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const parent = instance.root;

type Refusal = [number, string, RegExp];
const NOT_FOUND: Refusal = [
  401,
  'PUBLIC_KEY_NOT_FOUND',
  /^could not find public key in organization or its parent organization$/,
];
const bad = (why: RegExp): Refusal => [400, 'INVALID_OIDC_TOKEN', why];

/** The time of the service, which is ahead of the issuer's after the first tests. */
function times() {
  const iat = Math.floor(instance.clock.now() / 1000);
  return { iat, exp: iat + 3600 };
}

type Sub = { organizationId: string; root: Client; userId: string; providerId: string };

/** A sub-organization whose second root user signs in as `subject`. */
async function subWith(subject: string): Promise<Sub> {
  const keys = newKeys();
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: subject, ...times() }) }];
  const rootUsers = [userWith('Keyed', [keys]), userWith('Signed in', [], { oauthProviders })];
  const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers };
  const made = resultOf(await parent.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const root = parent.as(keys, made.subOrganizationId);
  const userId = made.rootUserIds[1];
  const [provider] = (await root.query('get_oauth_providers', { userId })).body.oauthProviders;
  return { organizationId: made.subOrganizationId, root, userId, providerId: provider.providerId };
}

const claims = (keys: Keys, subject: string) => ({ sub: subject, nonce: nonceOf(keys.publicKey), ...times() });

/** A client by a new key and a token that names it. */
function byToken(client: Client, subject: string, more: object = {}, header: object = {}, keys = newKeys()) {
  const oidcToken = issuer.signNow({ ...claims(keys, subject), ...more }, header);
  return { ...attested(client, keys, { oidcToken }), oidcToken };
}

const TAG = 'CREATE_USER_TAG';
const tag = () => ({ userTagName: randomUUID(), userIds: [] });

/** How often the issuer was asked for its keys. */
const fetches = () => issuer.asked.filter((path) => path === '/jwks').length;

let sub: Sub;
before(async () => {
  sub = await subWith('alice');
});

test("a client with a provider's token asks and submits as its user", async () => {
  const keys = newKeys();
  const oidcToken = await issuer.signIn('alice', { nonce: nonceOf(keys.publicKey) });
  const client = attested(sub.root, keys, { oidcToken });
  assert.equal((await client.query('whoami')).body.userId, sub.userId);
  const done = await client.submit(TAG, tag());
  resultOf(done, 'createUserTagResult');
  const [vote] = done.body.activity.votes;
  assert.deepEqual([vote.scheme, vote.publicKey, vote.userId], ['SIGNATURE_SCHEME_TK_ATTESTED_P256', keys.publicKey, sub.userId]);
  const record = JSON.parse(vote.signature);
  assert.equal(record.publicKeyAttestation, `sha256:${createHash('sha256').update(oidcToken).digest('hex')}`);
  assert.equal(record.scheme, 'STAMP_ATTESTED_SCHEME_P256_OIDC');
  // The claim that browsers of some issuers get it in.
  assert.equal(
    (await byToken(sub.root, 'alice', { nonce: 'own', tknonce: nonceOf(keys.publicKey) }, {}, keys).query('whoami')).status,
    200,
  );
});

test('whoami that names the parent finds the sub-organization', async () => {
  const { organizationId, userId } = (await byToken(parent, 'alice').query('whoami')).body;
  assert.deepEqual([organizationId, userId], [sub.organizationId, sub.userId]);
  refused(await byToken(parent, 'alice').query('list_users'), NOT_FOUND);
  const other = await subWith('alice');
  refused(await byToken(parent, 'alice').query('whoami'), [
    401,
    'CREDENTIAL_CONFLICT',
    /more than one suborg associated with an OIDC token/,
  ]);
  assert.equal((await byToken(other.root, 'alice').query('whoami')).body.userId, other.userId);
  const ids = { userId: other.userId, providerIds: [other.providerId] };
  // The last way in of its user stays, so that the user goes.
  refused(await other.root.submit('DELETE_OAUTH_PROVIDERS', ids), [400, 'REQUEST_INVALID', /at least one valid credential/]);
  resultOf(
    await other.root.submit('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [(await other.root.query('whoami')).body.userId] }),
    'updateRootQuorumResult',
  );
  resultOf(await other.root.submit('DELETE_USERS', { userIds: [other.userId] }), 'deleteUsersResult');
  assert.equal((await byToken(parent, 'alice').query('whoami')).body.organizationId, sub.organizationId);
});

test('a token that is wrong by itself is refused with the reason, and no issuer is asked', async () => {
  instance.clock.advance(700_000);
  const asked = fetches();
  const now = Math.floor(instance.clock.now() / 1000);
  const cases: [object, object, RegExp][] = [
    [{ nonce: undefined }, {}, /its nonce must be the SHA-256/],
    [{ nonce: nonceOf(newKeys().publicKey) }, {}, /its nonce must be the SHA-256/],
    [{ exp: now - 61 }, {}, /it has expired/],
    [{ exp: undefined }, {}, /it has expired/],
    [{ iat: now + 120 }, {}, /not valid yet/],
    [{ sub: undefined }, {}, /its sub must be a text/],
    [{}, { alg: 'none' }, /must be signed with another algorithm/],
    [{}, { alg: 'HS256' }, /must be signed with another algorithm/],
    [{}, { typ: 'at+jwt' }, /is not an ID token/],
  ];
  for (const [more, header, why] of cases) refused(await byToken(sub.root, 'alice', more, header).query('whoami'), bad(why));
  refused(await attested(sub.root, newKeys(), { oidcToken: 'text' }).query('whoami'), bad(/must be a signed JWT/));
  assert.equal(fetches(), asked);
});

test('no issuer is asked about an unknown user, and the answer is that of a token with a bad signature', async () => {
  const asked = fetches();
  const strangers = [
    byToken(sub.root, 'mallory'),
    byToken(sub.root, 'alice', { aud: 'another client' }),
    byToken(sub.root, 'alice', { iss: 'https://issuer.test' }),
    byToken(parent, 'mallory'),
  ];
  for (const stranger of strangers) refused(await stranger.query('whoami'), NOT_FOUND);
  assert.equal(fetches(), asked);
  const keys = newKeys();
  const { oidcToken } = byToken(sub.root, 'alice', {}, {}, keys);
  const [head, payload] = oidcToken.split('.');
  const forged = `${head}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`;
  refused(await attested(sub.root, keys, { oidcToken: forged }).query('whoami'), NOT_FOUND);
  refused(await byToken(sub.root, 'alice', {}, { kid: 'unknown' }).query('whoami'), NOT_FOUND);
});

test('many forged tokens at once make the issuer be asked once', async () => {
  instance.clock.advance(700_000);
  const asked = fetches();
  const stranger = byToken(sub.root, 'alice', {}, { kid: 'another' });
  for (const answer of await Promise.all(Array.from({ length: 200 }, () => stranger.query('whoami')))) refused(answer, NOT_FOUND);
  assert.ok(fetches() - asked <= 1, `${fetches() - asked} fetches`);
  assert.equal((await byToken(sub.root, 'alice').query('whoami')).status, 200);
});

test('new keys of an issuer count', async () => {
  assert.equal((await byToken(sub.root, 'alice').query('whoami')).status, 200);
  await issuer.rotate();
  instance.clock.advance(11_000);
  assert.equal((await byToken(sub.root, 'alice').query('whoami')).status, 200);
});

test('an issuer that does not answer: 503, nothing is stored, and the same body may come again', async () => {
  instance.clock.advance(700_000);
  const client = byToken(sub.root, 'alice');
  const body = sub.root.bodyOf(TAG, tag());
  const path = '/public/v1/submit/create_user_tag';
  const stored = async () => (await instance.raw('SELECT id FROM activities')).length;
  const before = await stored();
  issuer.answer('/jwks', (_, response) => response.writeHead(500).end());
  refused(await client.send(path, body), [
    503,
    'UNAVAILABLE',
    /publicKeyAttestation: the keys of the token's issuer cannot be read/,
  ]);
  assert.equal(await stored(), before);
  issuer.answer('/jwks', undefined);
  // It is not asked again at once.
  instance.clock.advance(61_000);
  resultOf(await client.send(path, body), 'createUserTagResult');
});

test('the right ends with the provider, and with the token', async () => {
  const { root, userId, providerId } = await subWith('bob');
  const apiKeys = [{ apiKeyName: 'key', publicKey: newKeys().publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const client = byToken(root, 'bob');
  resultOf(await client.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
  const late = byToken(root, 'bob');
  resultOf(await late.submit(TAG, tag()), 'createUserTagResult');
  resultOf(await root.submit('DELETE_OAUTH_PROVIDERS', { userId, providerIds: [providerId] }), 'deleteOauthProvidersResult');
  refused(await client.submit(TAG, tag()), NOT_FOUND);
  const oauthProviders = [{ providerName: 'Again', oidcToken: issuer.signNow({ sub: 'bob', ...times() }) }];
  resultOf(await root.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders }), 'createOauthProvidersResult');
  resultOf(await client.submit(TAG, tag()), 'createUserTagResult');
  instance.clock.advance(3_700_000);
  refused(await client.submit(TAG, tag()), bad(/it has expired/));
});

test('policies see the type of the credential', async () => {
  const { root } = await subWith('carol');
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'member', ...times() }) }];
  const users = [userWith('Member', [], { oauthProviders, userTags: [] })];
  resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  refused(await byToken(root, 'member').submit(TAG, tag()), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  const consensus = "credentials.any(c, c.type == 'CREDENTIAL_TYPE_OAUTH_KEY_P256')";
  await newPolicy(root, { condition: "activity.kind == 'CREATE_USER_TAG'", consensus });
  resultOf(await byToken(root, 'member').submit(TAG, tag()), 'createUserTagResult');
});

test('a token that another issuer signed in the name of the first', async () => {
  const another = await startIssuer();
  try {
    const keys = newKeys();
    const oidcToken = another.signNow({ ...claims(keys, 'alice'), iss: issuer.url });
    refused(await attested(sub.root, keys, { oidcToken }).query('whoami'), NOT_FOUND);
  } finally {
    await another.close();
  }
});
