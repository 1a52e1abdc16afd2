import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getOauthProviders } from '../../../src/queries/credentials/get-oauth-providers.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { NOBODY, refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const sub = await instance.newSubOrganization('Sub', 2, 1);
const [client] = sub.clients as [(typeof sub.clients)[number]];
/** Of the first user, and of the second. */
const made: string[][] = [];

type Provider = { providerId: string; subject: string };
const idsOf = (body: { oauthProviders: Provider[] }) => body.oauthProviders.map(({ providerId }) => providerId);

before(async () => {
  for (const [i, userId] of sub.userIds.entries()) {
    const oauthProviders = [];
    for (let n = 0; n < 6; n++)
      oauthProviders.push({ providerName: `Provider ${n}`, oidcToken: await issuer.sign({ sub: `user ${i} ${n}` }) });
    const parameters = { userId, oauthProviders };
    made.push(resultOf(await client.submit('CREATE_OAUTH_PROVIDERS_V2', parameters), 'createOauthProvidersResultV2').providerIds);
  }
});

test('those of the organization, or of one user', async () => {
  const { body } = await client.query('get_oauth_providers');
  assert.deepEqual(getOauthProviders.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(idsOf(body), made.flat());
  for (const [i, userId] of sub.userIds.entries())
    assert.deepEqual(idsOf((await client.query('get_oauth_providers', { userId })).body), made[i]);
});

test('pages by key in both directions', async () => {
  const page = (more: object) => async (paginationOptions: object) =>
    idsOf((await client.query('get_oauth_providers', { ...more, paginationOptions })).body);
  await pages(made.flat(), page({}));
  await pages(made[1]!, page({ userId: sub.userIds[1] }));
});

test('the parent reads them; elsewhere they are nothing', async () => {
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.deepEqual(idsOf((await parent.query('get_oauth_providers')).body), made.flat());
  const other = await instance.newSubOrganization('Other', 1, 1);
  for (const userId of [NOBODY, sub.userIds[0]])
    assert.deepEqual((await other.clients[0]!.query('get_oauth_providers', { userId })).body, { oauthProviders: [] });
  assert.deepEqual((await instance.root.query('get_oauth_providers')).body, { oauthProviders: [] });
});

test('a voter is shown with the providers of the time of the vote', async () => {
  const userId = sub.userIds[0]!;
  const users = [{ ...userWith('Voted on', [newKeys()]), userTags: [] }];
  const voted = (await client.submit('CREATE_USERS_V4', { users })).body.activity;
  resultOf(await client.submit('DELETE_OAUTH_PROVIDERS', { userId, providerIds: [made[0]![0]] }), 'deleteOauthProvidersResult');
  const { activity } = (await client.query('get_activity', { activityId: voted.id })).body;
  assert.deepEqual(idsOf(activity.votes[0].user), made[0]);
  made[0]!.shift();
  assert.deepEqual(idsOf((await client.query('get_oauth_providers', { userId })).body), made[0]);
});

test('bad parameters are named', () => refusesEachQuery(instance.root, 'get_oauth_providers', [...badPagination]));
