import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, type Client, newKeys, resultOf } from '../../support/client.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { issuer, env } = await sharedIssuer();
const { instance, pair } = await sharedPair(env);

const TYPE = 'DELETE_OAUTH_PROVIDERS';
const KEY = 'deleteOauthProvidersResult';

const provider = async (sub: string) => ({ providerName: sub, oidcToken: await issuer.sign({ sub }) });

/** A user of a new sub-organization with these credentials. Email logins are off. */
async function newUser(name: string, providers: number, apiKeys: object[]) {
  const key = newKeys();
  const rootUser = { userName: 'Root', apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [] };
  const parameters = { subOrganizationName: name, rootQuorumThreshold: 1, rootUsers: [rootUser] };
  const made = resultOf(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const root: Client = instance.root.as(key, made.subOrganizationId);
  const oauthProviders = await Promise.all(Array.from({ length: providers }, (_, i) => provider(`${name} ${i}`)));
  const users = [{ userName: name, apiKeys, authenticators: [], oauthProviders, userTags: [] }];
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const ids = async (): Promise<string[]> =>
    (await root.query('get_oauth_providers', { userId })).body.oauthProviders.map((p: { providerId: string }) => p.providerId);
  return { root, userId, ids, providerIds: await ids() };
}

test('one of several', async () => {
  const { root, userId, ids, providerIds } = await newUser('Several', 3, []);
  const named = [providerIds[1], providerIds[1]];
  assert.deepEqual(resultOf(await root.submit(TYPE, { userId, providerIds: named }), KEY), { providerIds: named });
  assert.deepEqual(await ids(), [providerIds[0], providerIds[2]]);
  // Its identity is free again.
  const parameters = { userId, oauthProviders: [await provider('Several 1')] };
  resultOf(await root.submit('CREATE_OAUTH_PROVIDERS_V2', parameters), 'createOauthProvidersResultV2');
});

test('the last credential stays, and an expiring key is none', async () => {
  const refusal = [400, 'REQUEST_INVALID', /at least one valid credential/] as [number, string, RegExp];
  const only = await newUser('Only', 2, [apiKey(newKeys(), { expirationSeconds: '3600' })]);
  const parameters = { userId: only.userId, providerIds: only.providerIds };
  refused(await only.root.submit(TYPE, parameters), refusal, 'parameters.providerIds');
  assert.deepEqual(await only.ids(), only.providerIds, 'nothing of a failed activity stays');
  resultOf(await only.root.submit(TYPE, { userId: only.userId, providerIds: [only.providerIds[0]] }), KEY);
  const also = await newUser('Key too', 1, [apiKey(newKeys())]);
  resultOf(await also.root.submit(TYPE, { userId: also.userId, providerIds: also.providerIds }), KEY);
});

test('a provider lets the last key go', async () => {
  const { root, userId } = await newUser('Key goes', 1, [apiKey(newKeys())]);
  const [{ apiKeyId }] = (await root.query('get_api_keys', { userId })).body.apiKeys;
  resultOf(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds: [apiKeyId] }), 'deleteApiKeysResult');
});

test('unknown users and providers, and those of somebody else', async () => {
  const one = await newUser('One', 2, []);
  const other = await newUser('Other', 2, []);
  const send = (userId: string, providerIds: string[]) => one.root.submit(TYPE, { userId, providerIds });
  for (const userId of [NOBODY, other.userId])
    refused(await send(userId, [one.providerIds[0]!]), [404, 'UNSPECIFIED', /user not found: parameters.userId names/]);
  for (const id of [NOBODY, other.providerIds[0]!])
    refused(await send(one.userId, [one.providerIds[0]!, id]), [404, 'UNSPECIFIED', /oauth provider not found: .* names/]);
  assert.deepEqual([await one.ids(), await other.ids()], [one.providerIds, other.providerIds]);
});

test('a user takes away their own', async () => {
  const parameters = { userId: pair.outsiderId, oauthProviders: [await provider('own')] };
  const made = await pair.outsider.submit('CREATE_OAUTH_PROVIDERS_V2', parameters);
  const { providerIds } = resultOf(made, 'createOauthProvidersResultV2');
  resultOf(await pair.outsider.submit(TYPE, { userId: pair.outsiderId, providerIds }), KEY);
});
