import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { refused } from '../../support/refusals.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance({ ...env, LIMIT_USERS: '12', LIMIT_OAUTH_PROVIDERS: '11' });

let subject = 0;
const providers = (count: number) =>
  Array.from({ length: count }, () => ({ providerName: 'account', oidcToken: issuer.signNow({ sub: `${++subject}` }) }));
const users = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, i) => ({
    userName: `${i}`,
    apiKeys: [apiKey(newKeys())],
    authenticators: [],
    oauthProviders: providers(tokens),
    userTags: [],
  }));

test('no issuer is asked about users, or providers, that there is no room for', async () => {
  refused(await instance.root.submit('CREATE_USERS_V4', { users: users(12, 1) }), [429, 'UNSPECIFIED', /limit of 12 users/]);
  const parameters = { subOrganizationName: 'Large', rootQuorumThreshold: 1, rootUsers: users(13, 1) };
  refused(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), [429, 'UNSPECIFIED', /limit of 12 users/]);
  const { userId } = instance.credentials;
  const tooMany = await instance.root.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders: providers(12) });
  refused(tooMany, [429, 'UNSPECIFIED', /at most 11/]);
  assert.deepEqual(issuer.asked, []);
  assert.equal((await instance.root.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders: providers(11) })).status, 200);
  issuer.asked.length = 0;
  const [unknown] = providers(1);
  const other = { ...unknown, oidcToken: issuer.signNow({ sub: 'new' }, { kid: 'unknown' }) };
  const oneMore = await instance.root.submit('CREATE_OAUTH_PROVIDERS_V2', { userId, oauthProviders: [other] });
  refused(oneMore, [429, 'UNSPECIFIED', /at most 11/]);
  assert.deepEqual(issuer.asked, []);
});

test('one request has at most a hundred tokens', async () => {
  const answer = await instance.root.submit('CREATE_USERS_V4', { users: users(10, 11) });
  refused(answer, [400, 'REQUEST_INVALID', /beyond the 100 tokens/], 'parameters.users[9].oauthProviders[1].oidcToken');
});
