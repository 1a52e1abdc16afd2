import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy } from '../../e2e/authority.ts';
import { apiKey, type Client, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, mayVote, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'UPDATE_ROOT_QUORUM';
const KEY = 'updateRootQuorumResult';
const wallet = (walletName: string) => ({ walletName, accounts: [] });

test('more root users, then a higher threshold; what a root user may alone follows at once', async () => {
  const { clients, userIds, organizationId } = await instance.newSubOrganization('Grows', 1, 1);
  const [root] = clients;
  const parent = instance.root.as(instance.root.keys, organizationId);
  const quorum = async () => (await parent.query('get_organization_configs')).body.configs.quorum;
  const joined = await newMember(root!);
  const forbidden: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/];
  refused(await joined.client.submit('CREATE_WALLET', wallet('Not yet')), forbidden);
  const both = [...userIds, joined.userId];
  assert.deepEqual(resultOf(await root!.submit(TYPE, { threshold: 1, userIds: both }), KEY), {});
  assert.deepEqual(await quorum(), { threshold: 1, userIds: both });
  resultOf(await joined.client.submit('CREATE_WALLET', wallet('Alone')), 'createWalletResult');
  resultOf(await joined.client.submit(TYPE, { threshold: 2, userIds: both }), KEY);
  const { activity } = (await root!.submit('CREATE_WALLET', wallet('Together'))).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  resultOf(await agreed({ clients: [root!, joined.client] }, TYPE, { threshold: 1, userIds: [joined.userId] }), KEY);
  refused(await root!.submit('CREATE_WALLET', wallet('No more')), forbidden);
  // What waited for two root users is decided by those who are root users now.
  assert.deepEqual(await mayVote(joined.client, activity.id), [true, true]);
  const body = activity.votes[0].message;
  const done = await joined.client.send(submitPath('CREATE_WALLET'), body);
  assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
});

async function newMember(root: Client) {
  const keys = newKeys();
  const users = [{ ...userWith('Joined', [keys]), userTags: [] }];
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  return { userId, client: root.as(keys) };
}

test('no policy grants it', async () => {
  const { client, userId } = await instance.newUser('Policy');
  const allow = {
    policyName: 'everything',
    effect: 'EFFECT_ALLOW',
    consensus: approvedBy(userId),
    notes: '',
  };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  resultOf(await client.submit('CREATE_WALLET', wallet('By policy')), 'createWalletResult');
  const answer = await client.submit(TYPE, { threshold: 1, userIds: [userId] });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('what no quorum can be', async () => {
  const { userId } = instance.credentials;
  const other = await instance.newUser('Other');
  await refusesEach(instance.root, TYPE, [
    [{ userIds: [userId] }, 'parameters.threshold', /./],
    [{ threshold: 2, userIds: [userId] }, 'parameters.threshold', /at most the number of root users, 1/],
    [{ threshold: 1, userIds: [userId, other.userId, userId.toUpperCase()] }, 'parameters.userIds', /twice/],
    [{ threshold: 1, userIds: [userId, NOBODY] }, 'parameters.userIds', /quorum users missing/],
    [{ threshold: 1, userIds: [userId, pair.userIds[0]] }, 'parameters.userIds', /quorum users missing/],
  ]);
  const { quorum } = (await instance.root.query('get_organization_configs')).body.configs;
  assert.deepEqual(quorum, { threshold: 1, userIds: [userId] });
});

test('a root user has a lasting way in', async () => {
  const { clients, userIds } = await instance.newSubOrganization('By mail', 1, 1);
  const [root] = clients;
  const withMail = { ...userWith('Mail', []), userEmail: 'mail@example.com', userTags: [] };
  const made = await root!.submit('CREATE_USERS_V4', { users: [withMail] });
  const [byMail] = resultOf(made, 'createUsersResult').userIds;
  const both = { threshold: 1, userIds: [userIds[0], byMail] };
  for (const name of ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'])
    resultOf(await root!.submit('REMOVE_ORGANIZATION_FEATURE', { name }), 'removeOrganizationFeatureResult');
  const refusal = [400, 'REQUEST_INVALID', /at least one valid credential/] as [number, string, RegExp];
  refused(await root!.submit(TYPE, both), refusal, 'parameters.userIds[1]');
  const key = { userId: byMail, apiKeys: [apiKey(newKeys(), { expirationSeconds: '900' })] };
  resultOf(await root!.submit('CREATE_API_KEYS_V2', key), 'createApiKeysResult');
  refused(await root!.submit(TYPE, both), refusal, 'parameters.userIds[1]');
  resultOf(
    await root!.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' }),
    'setOrganizationFeatureResult',
  );
  resultOf(await root!.submit(TYPE, both), KEY);
});

test('a root user who left the quorum can be deleted, and not before', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Leaves', 2, 1);
  const gone = { userIds: [userIds[1]] };
  refused(await clients[0]!.submit('DELETE_USERS', gone), [400, 'REQUEST_INVALID', /quorum users missing/]);
  resultOf(await clients[0]!.submit(TYPE, { threshold: 1, userIds: [userIds[0]] }), KEY);
  resultOf(await clients[0]!.submit('DELETE_USERS', gone), 'deleteUsersResult');
});

test('put into the quorum and deleted at the same instant: the quorum never names who is not there', async () => {
  for (let round = 0; round < 5; round++) {
    const { clients, userIds, organizationId } = await instance.newSubOrganization(`Raced ${round}`, 1, 1);
    const joined = await newMember(clients[0]!);
    await Promise.all([
      clients[0]!.submit(TYPE, { threshold: 1, userIds: [userIds[0], joined.userId] }),
      clients[0]!.submit('DELETE_USERS', { userIds: [joined.userId] }),
    ]);
    const parent = instance.root.as(instance.root.keys, organizationId);
    const { quorum } = (await parent.query('get_organization_configs')).body.configs;
    const users = (await parent.query('list_users')).body.users.map((user: { userId: string }) => user.userId);
    for (const id of quorum.userIds) assert.ok(users.includes(id));
  }
});
