import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const sub = await instance.newSubOrganization('Sub', 1, 1);
const client = sub.clients[0]!;

type Provider = { userId?: string; audience: string; subject: string };

const token = async (sub: string, more: object = {}) => ({ providerName: sub, oidcToken: await issuer.sign({ sub, ...more }) });
const claims = (sub: string, aud: string) => ({ providerName: aud, oidcClaims: { iss: issuer.url, sub, aud } });
const none = { apiKeys: [], authenticators: [] };
const user = (userName: string, oauthProviders: object[]) => ({ ...none, userName, oauthProviders, userTags: [] });
const create = (version: string, ...users: object[]) => client.submit(`CREATE_USERS_${version}`, { users });
const identities = (providers: Provider[]) => providers.map(({ audience, subject }) => [audience, subject]);
const count = async () => (await client.query('list_users')).body.users.length;

test('new users whose only credential is an account elsewhere, by token, and beside it by claims', async () => {
  const made = await create('V4', user('A', [await token('a'), claims('a', 'ios')]), user('B', [await token('b')]));
  const { userIds } = resultOf(made, 'createUsersResult');
  const { users } = (await client.query('list_users')).body;
  const shown = users.filter(({ userId }: { userId: string }) => userIds.includes(userId));
  assert.deepEqual(
    shown.map((u: { oauthProviders: Provider[] }) => identities(u.oauthProviders)),
    [
      [
        ['client', 'a'],
        ['ios', 'a'],
      ],
      [['client', 'b']],
    ],
  );
});

test('version 3 takes tokens only', async () => {
  resultOf(await create('V3', user('C', [await token('c')])), 'createUsersResult');
  const refusal = [400, 'REQUEST_INVALID', /oauthProviders\[0\]\.oidcToken: is required/] as [number, string, RegExp];
  refused(await create('V3', user('D', [claims('c', 'ios')])), refusal);
});

test('all users are made, or none', async () => {
  const before = await count();
  const good = user('Good', [await token('good')]);
  const cases: [object, [number, string, RegExp], string][] = [
    [
      user('Expired', [await token('x', { exp: 1 })]),
      [400, 'INVALID_OIDC_TOKEN', /expired/],
      'parameters.users[1].oauthProviders[0].oidcToken',
    ],
    [
      user('Claims', [claims('good', 'ios')]),
      [400, 'INVALID_OIDC_TOKEN', /proof of its iss and sub/],
      'parameters.users[1].oauthProviders[0].oidcClaims',
    ],
    [
      user('Same', [await token('good')]),
      [400, 'OAUTH_PROVIDER_ALREADY_EXISTS', /already/],
      'parameters.users[1].oauthProviders[0]',
    ],
    [user('No way in', []), [400, 'REQUEST_INVALID', /at least one valid credential/], 'parameters.users[1]'],
  ];
  for (const [bad, refusal, field] of cases) refused(await create('V4', good, bad), refusal, field);
  const many = user('Many', await Promise.all(Array.from({ length: 11 }, (_, i) => token(`many ${i}`))));
  refused(await create('V4', many), [429, 'UNSPECIFIED', /maximum oauth providers: at most 10/]);
  assert.equal(await count(), before);
});

test('in a top-level organization nobody logs in by it, so it is no way in', async () => {
  const users = [user('Top', [await token('top')])];
  const refusal = [400, 'REQUEST_INVALID', /at least one valid credential/] as [number, string, RegExp];
  refused(await instance.root.submit('CREATE_USERS_V4', { users }), refusal, 'parameters.users[0]');
  const withKey = users.map((one) => ({ ...one, apiKeys: [apiKey(newKeys())] }));
  const [userId] = resultOf(await instance.root.submit('CREATE_USERS_V4', { users: withKey }), 'createUsersResult').userIds;
  const [{ apiKeyId }] = (await instance.root.query('get_api_keys', { userId })).body.apiKeys;
  refused(await instance.root.submit('DELETE_API_KEYS', { userId, apiKeyIds: [apiKeyId] }), refusal);
});

test('a new sub-organization whose root user has an account elsewhere only', async () => {
  const parameters = (oauthProviders: object[]) => ({
    subOrganizationName: 'By account',
    rootQuorumThreshold: 1,
    rootUsers: [{ ...none, userName: 'Root', oauthProviders }],
  });
  const eighth = await instance.root.submit(
    'CREATE_SUB_ORGANIZATION_V8',
    parameters([await token('root'), claims('root', 'ios')]),
  );
  const made = resultOf(eighth, 'createSubOrganizationResultV8');
  const there = instance.root.as(instance.root.keys, made.subOrganizationId);
  const { oauthProviders } = (await there.query('get_oauth_providers', { userId: made.rootUserIds[0] })).body;
  assert.deepEqual(identities(oauthProviders), [
    ['client', 'root'],
    ['ios', 'root'],
  ]);
  const seventh = await instance.root.submit('CREATE_SUB_ORGANIZATION_V7', parameters([await token('root')]));
  resultOf(seventh, 'createSubOrganizationResultV7');
  const refusal = [400, 'REQUEST_INVALID', /rootUsers\[0\]\.oauthProviders\[0\]\.oidcToken: is required/] as [
    number,
    string,
    RegExp,
  ];
  refused(await instance.root.submit('CREATE_SUB_ORGANIZATION_V7', parameters([claims('root', 'ios')])), refusal);
  const subs = async () =>
    (await instance.root.query('list_suborgs', { paginationOptions: { limit: '100' } })).body.organizationIds;
  const before = await subs();
  const bad = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters([await token('root', { exp: 1 })]));
  refused(bad, [400, 'INVALID_OIDC_TOKEN', /expired/], 'parameters.rootUsers[0].oauthProviders[0].oidcToken');
  assert.deepEqual(await subs(), before, 'no half of it stays');
});
