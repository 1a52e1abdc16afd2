import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair, waitsForBoth } from '../support.ts';

const { issuer, env } = await sharedIssuer();
const { instance, pair } = await sharedPair(env);

const TYPE = 'CREATE_OAUTH_PROVIDERS_V2';
const KEY = 'createOauthProvidersResultV2';
const FIELD = 'parameters.oauthProviders';

type Person = { client: Client; userId: string; organizationId: string };

/** The root user of a new sub-organization. */
async function newPerson(name: string): Promise<Person> {
  const made = await instance.newSubOrganization(name, 1, 1);
  return { client: made.clients[0]!, userId: made.userIds[0]!, organizationId: made.organizationId };
}

const byToken = async (claims: object = {}, providerName = 'Token') => ({ providerName, oidcToken: await issuer.sign(claims) });
const byClaims = (sub: string, aud: string, iss = issuer.url) => ({
  providerName: `Claims ${aud}`,
  oidcClaims: { iss, sub, aud },
});
const providersOf = async ({ client, userId }: Person) =>
  (await client.query('get_oauth_providers', { userId })).body.oauthProviders;
const add = ({ client, userId }: Person, ...oauthProviders: object[]) => client.submit(TYPE, { userId, oauthProviders });

test('a user adds the account that they signed in with', async () => {
  const person = await newPerson('Signs in');
  const { providerIds } = resultOf(await add(person, { providerName: 'Issuer', oidcToken: await issuer.signIn('alice') }), KEY);
  const [provider, ...more] = await providersOf(person);
  assert.deepEqual(more, []);
  const { createdAt, updatedAt, ...rest } = provider;
  assert.deepEqual(rest, {
    providerId: providerIds[0],
    providerName: 'Issuer',
    issuer: issuer.url,
    audience: issuer.clientId,
    subject: 'alice',
  });
  assert.deepEqual(createdAt, updatedAt);
  const { user } = (await person.client.query('get_user', { userId: person.userId })).body;
  assert.deepEqual(user.oauthProviders, [provider], 'users are shown with their providers');
});

test('the first version takes tokens only', async () => {
  const person = await newPerson('First version');
  const parameters = { userId: person.userId, oauthProviders: [await byToken({ sub: 'v1' })] };
  const answer = await person.client.submit('CREATE_OAUTH_PROVIDERS', parameters);
  const { providerIds } = resultOf(answer, 'createOauthProvidersResult');
  assert.equal((await providersOf(person))[0].providerId, providerIds[0]);
  assert.deepEqual(answer.body.activity.intent, { createOauthProvidersIntent: parameters });
});

test('claims beside a token of the same person, and later without one', async () => {
  const person = await newPerson('Claims');
  const list = [byClaims('carol', 'ios'), await byToken({ sub: 'carol' }), byClaims('carol', 'android')];
  resultOf(await add(person, ...list), KEY);
  resultOf(await add(person, byClaims('carol', 'desktop')), KEY);
  const audiences = (await providersOf(person)).map((p: { audience: string }) => p.audience);
  assert.deepEqual(audiences, ['ios', issuer.clientId, 'android', 'desktop']);
});

test('claims that nothing proves', async () => {
  const person = await newPerson('Unproven');
  const why = [400, 'INVALID_OIDC_TOKEN', /needs proof of its iss and sub/] as [number, string, RegExp];
  refused(await add(person, byClaims('dave', 'ios')), why, `${FIELD}[0].oidcClaims`);
  const token = await byToken({ sub: 'dave' });
  for (const claims of [byClaims('erin', 'ios'), byClaims('dave', 'ios', 'https://issuer.test')])
    refused(await add(person, token, claims), why, `${FIELD}[1].oidcClaims`);
  assert.deepEqual(await providersOf(person), [], 'nothing of a failed activity stays');
  const other = await newPerson('Proven elsewhere');
  resultOf(await add(other, token), KEY);
  refused(await add(person, byClaims('dave', 'ios')), why);
});

test('tokens that do not hold are told why, by their field', async () => {
  const person = await newPerson('Bad tokens');
  const seconds = Math.floor(Date.now() / 1000);
  const cases: [object, RegExp][] = [
    [await byToken({ exp: seconds - 100 }), /it has expired/],
    [await byToken({ aud: undefined }), /its aud must be/],
    [await byToken({ iss: 'https://169.254.169.254' }), /no public address/],
    [{ providerName: 'None', oidcToken: 'a.b.c' }, /JSON objects/],
    [{ providerName: 'None', oidcToken: 'no token' }, /three parts/],
  ];
  for (const [provider, text] of cases)
    refused(
      await add(person, await byToken({ sub: 'good' }), provider),
      [400, 'INVALID_OIDC_TOKEN', text],
      `${FIELD}[1].oidcToken`,
    );
  assert.deepEqual(await providersOf(person), []);
});

test('an issuer that does not answer: nothing is stored, and the same body may come again', async () => {
  const person = await newPerson('Later');
  const body = person.client.bodyOf(TYPE, {
    userId: person.userId,
    oauthProviders: [{ providerName: 'Later', oidcToken: await issuer.sign({ sub: 'later' }, { kid: 'another key' }) }],
  });
  // The keys are known by now, and this one is none of them: the issuer is asked again.
  instance.clock.advance(11_000);
  issuer.answer('/jwks', (_, response) => response.writeHead(503).end());
  const refusedNow = await person.client.send(submitPath(TYPE), body);
  issuer.answer('/jwks', undefined);
  refused(refusedNow, [503, 'UNAVAILABLE', /issuer cannot be read now: .* status 503: send the same body again/]);
  const { activities } = (await person.client.query('list_activities')).body;
  assert.deepEqual(activities, []);
});

test('an identity is one user’s in an organization', async () => {
  const person = await newPerson('Twice');
  const token = await byToken({ sub: 'frank' });
  resultOf(await add(person, token), KEY);
  const exists = [400, 'OAUTH_PROVIDER_ALREADY_EXISTS', /already/] as [number, string, RegExp];
  refused(await add(person, await byToken({ sub: 'grace' }), token), exists, `${FIELD}[1]`);
  refused(await add(person, await byToken({ sub: 'heidi' }, 'a'), await byToken({ sub: 'heidi' }, 'b')), exists, `${FIELD}[1]`);
  const users = [{ ...userWith('Another', [newKeys()]), userTags: [] }];
  const [userId] = resultOf(await person.client.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  refused(await add({ ...person, userId }, token), exists, `${FIELD}[0]`);
  assert.equal((await providersOf(person)).length, 1);
  resultOf(await add(await newPerson('Elsewhere'), token), KEY);
});

test('at most ten, also when several come at once', async () => {
  const person = await newPerson('Many');
  const tokens = await Promise.all(Array.from({ length: 12 }, (_, i) => byToken({ sub: `many ${i}` })));
  const tooMany = [429, 'UNSPECIFIED', /user has exceeded maximum oauth providers: at most 10 \(LIMIT_OAUTH_PROVIDERS\)/] as [
    number,
    string,
    RegExp,
  ];
  refused(await add(person, ...tokens.slice(0, 11)), tooMany);
  resultOf(await add(person, ...tokens.slice(0, 8)), KEY);
  const answers = await Promise.all(tokens.slice(8).map((token) => add(person, token)));
  const good = answers.filter(({ status }) => status === 200);
  assert.equal(good.length, 2);
  for (const answer of answers.filter(({ status }) => status !== 200)) refused(answer, tooMany);
  assert.equal((await providersOf(person)).length, 10);
});

test('a user adds to their own, and to nobody else’s', async () => {
  const { outsider, outsiderId, userIds } = pair;
  const own = { client: outsider, userId: outsiderId, organizationId: pair.organizationId };
  resultOf(await add(own, await byToken({ sub: 'outsider' })), KEY);
  const answer = await add({ ...own, userId: userIds[0] }, await byToken({ sub: 'intruder' }));
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);
});

test('unknown users, and users of another organization', async () => {
  const person = await newPerson('Here');
  const other = await newPerson('There');
  const token = await byToken({ sub: 'nobody' });
  for (const userId of [NOBODY, other.userId, instance.credentials.userId])
    refused(await add({ ...person, userId }, token), [404, 'UNSPECIFIED', /user not found: parameters.userId names/]);
  assert.deepEqual(await providersOf(other), []);
});

test('bad parameters are named', async () => {
  const { client, userId } = await newPerson('Bad parameters');
  const token = await byToken();
  const claims = byClaims('s', 'a').oidcClaims;
  const list = (provider: unknown) => ({ userId, oauthProviders: [provider] });
  await refusesEach(client, TYPE, [
    [{ userId, oauthProviders: Array(101).fill(token) }, FIELD, /100/],
    [list({ providerName: 'Neither' }), `${FIELD}[0]`, /oidcToken or oidcClaims/],
    [list({ ...token, oidcClaims: claims }), `${FIELD}[0]`, /oidcToken or oidcClaims/],
    [list({ providerName: 'P', oidcClaims: { ...claims, iss: undefined } }), `${FIELD}[0].oidcClaims.iss`, /is required/],
    [list({ providerName: 'P', oidcClaims: { ...claims, sub: 'a'.repeat(256) } }), `${FIELD}[0].oidcClaims.sub`, /at most 255/],
    [list({ providerName: 'P', oidcClaims: { ...claims, aud: 'a\n' } }), `${FIELD}[0].oidcClaims.aud`, /control characters/],
  ]);
});

test('waits for the second root user, and is verified when both agree', async () => {
  const parameters = { userId: pair.userIds[0], oauthProviders: [await byToken({ sub: 'both' })] };
  await waitsForBoth(pair, TYPE, parameters, KEY);
  const [first, second] = pair.clients;
  const short = { ...parameters, oauthProviders: [await byToken({ sub: 'short', exp: Math.floor(Date.now() / 1000) + 60 })] };
  const body = first.bodyOf(TYPE, short);
  assert.equal((await first.send(submitPath(TYPE), body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  instance.clock.advance(180_000);
  const late = await second.send(submitPath(TYPE), body);
  assert.match(late.text, /it has expired/);
});
