import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { type Answer, type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { mnemonicOf } from '../custody.ts';
import { newPair, sharedPair } from '../support.ts';

const { instance } = await sharedPair();

const TYPE = 'DELETE_SUB_ORGANIZATION';
const KEY = 'deleteSubOrganizationResult';
const UNKNOWN: [number, string, RegExp] = [404, 'ORGANIZATION_NOT_FOUND', /no organization found/];

type Sub = { client: Client; id: string; userId: string; userName: string };

let made = 0;
async function newSub(more: object = {}): Promise<Sub> {
  const keys = newKeys();
  const userName = `Leaves ${++made}`;
  const rootUsers = [userWith(userName, [keys], { userEmail: `leaves${made}@example.com` })];
  const sent = { subOrganizationName: userName, rootQuorumThreshold: 1, rootUsers, ...more };
  const result = resultOf(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
  const id = result.subOrganizationId;
  return { client: instance.root.as(keys, id), id, userId: result.rootUserIds[0], userName };
}

const parentOf = (id: string) => instance.root.as(instance.root.keys, id);

const found = async (filterType: string, filterValue: string): Promise<string[]> =>
  (await instance.root.query('list_suborgs', { filterType, filterValue })).body.organizationIds;

/** The organization is not found any more, but users of its parent can read its record. */
async function isGone({ client, id, userName }: Sub, deletion: Answer): Promise<void> {
  refused(await client.query('whoami'), UNKNOWN);
  refused(await client.submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), UNKNOWN);
  refused(await client.query('get_activity', { activityId: deletion.body.activity.id }), UNKNOWN);
  refused(await client.query('list_activities'), UNKNOWN);
  refused(await parentOf(id).query('list_users'), UNKNOWN);
  refused(await parentOf(id).query('get_organization_configs'), UNKNOWN);
  refused(await parentOf(id).submit('CREATE_WALLET', { walletName: 'No', accounts: [] }), UNKNOWN);
  const asParent = instance.root.as(client.keys);
  refused(await asParent.query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /public key/]);
  assert.deepEqual(await found('NAME', userName), []);
  assert.deepEqual(await found('USERNAME', userName), []);
  assert.deepEqual(await found('EMAIL', userName.replace(' ', '').concat('@example.com')), []);
  assert.deepEqual(await found('PUBLIC_KEY', client.keys.publicKey), []);
  assert.ok(
    !(await instance.root.query('list_suborgs', { paginationOptions: { limit: '100' } })).body.organizationIds.includes(id),
  );
  for (const table of ['secrets', 'signers', 'users', 'credentials', 'wallets'])
    assert.deepEqual(await instance.raw(`SELECT 1 AS n FROM ${table} WHERE organization_id = $1`, id), [], table);

  const shown = (await parentOf(id).query('get_activity', { activityId: deletion.body.activity.id })).body.activity;
  assert.deepEqual(shown.result, { [KEY]: { subOrganizationUuid: id } });
  assert.equal(shown.votes[0].user.userName, userName, 'the record shows who did it');
  assert.equal(shown.votes[0].user.apiKeys[0].credential.publicKey, client.keys.publicKey);
}

test('its users, credentials and keys are gone, and its record stays readable to the parent', async () => {
  const sub = await newSub({ wallet: { walletName: 'W', accounts: [ethereumAccount()] } });
  const other = await newSub();
  const { addresses } = await newWallet(sub.client);
  const signed = await sub.client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!));
  const answer = await sub.client.submit(TYPE, { deleteWithoutExport: true });
  assert.deepEqual(resultOf(answer, KEY), { subOrganizationUuid: sub.id });
  assert.equal(answer.body.activity.votes[0].user.userName, sub.userName);
  await isGone(sub, answer);
  refused(await sub.client.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), UNKNOWN);
  assert.deepEqual(await found('WALLET_ACCOUNT_ADDRESS', addresses[0]!), []);

  const parent = parentOf(sub.id);
  const { activities } = (await parent.query('list_activities')).body;
  const types = activities.map(({ type }: { type: string }) => type.replace('ACTIVITY_TYPE_', ''));
  assert.deepEqual(types, [TYPE, 'SIGN_RAW_PAYLOAD_V2', 'CREATE_WALLET']);
  const earlier = (await parent.query('get_activity', { activityId: signed.body.activity.id })).body.activity;
  assert.deepEqual(earlier.result.signRawPayloadResult, signed.body.activity.result.signRawPayloadResult);

  // Neither strangers nor users of another sub-organization learn that there was one.
  for (const client of [instance.root.as(newKeys(), sub.id), instance.root.as(other.client.keys, sub.id)])
    for (const query of ['list_activities', 'whoami']) refused(await client.query(query), UNKNOWN);
  assert.equal((await other.client.query('whoami')).status, 200);
});

test('not while a wallet or a private key was not exported', async () => {
  const sub = await newSub();
  const { client } = sub;
  const { walletId } = await newWallet(client);
  const key = { privateKeyName: 'key', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] };
  const keys = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] });
  const { privateKeyId } = resultOf(keys, 'createPrivateKeysResultV2').privateKeys[0];
  const unexported = async (id: string) => {
    for (const sent of [{}, { deleteWithoutExport: false }])
      refused(
        await client.submit(TYPE, sent),
        [400, 'REQUEST_INVALID', new RegExp(`has not been exported: ${id}`)],
        'parameters.deleteWithoutExport',
      );
    assert.equal((await client.query('list_wallets')).body.wallets.length, 1);
  };
  await unexported(walletId);
  await mnemonicOf(client, walletId);
  await unexported(privateKeyId);
  const targetPublicKey = newTarget().publicKeyUncompressed;
  resultOf(await client.submit('EXPORT_PRIVATE_KEY', { privateKeyId, targetPublicKey }), 'exportPrivateKeyResult');
  const answer = await client.submit(TYPE, {});
  resultOf(answer, KEY);
  await isGone(sub, answer);
});

test('only a root user of it may, whatever policies allow, and not the parent', async () => {
  const sub = await newSub();
  const keys = newKeys();
  const users = [{ ...userWith('Deputy', [keys]), userTags: [] }];
  const added = await sub.client.submit('CREATE_USERS_V4', { users });
  const [deputyId] = resultOf(added, 'createUsersResult').userIds;
  await newPolicy(sub.client, { condition: "activity.resource == 'ORGANIZATION'", consensus: approvedBy(deputyId) });
  const deputy = sub.client.as(keys);
  const denied: [number, string, RegExp] = [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /Only a root user of the organization may submit this/,
  ];
  refused(await deputy.submit(TYPE, { deleteWithoutExport: true }), denied);
  refused(await parentOf(sub.id).submit(TYPE, {}), [400, 'ORGANIZATION_MISMATCH', /organization mismatch/]);
  assert.equal((await sub.client.query('whoami')).status, 200);
});

test('a top-level organization is refused', async () => {
  refused(
    await instance.root.submit(TYPE, { deleteWithoutExport: true }),
    [400, 'REQUEST_INVALID', /must be a sub-organization/],
    'organizationId',
  );
});

test('waits for the second root user; their identical body deletes it', async () => {
  const pair = await newPair(instance, 'Both leave');
  const [first, second] = pair.clients;
  const body = first.bodyOf(TYPE, { deleteWithoutExport: true });
  const waiting = await first.send(submitPath(TYPE), body);
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  refused(await pair.outsider.send(submitPath(TYPE), body), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  const done = await second.send(submitPath(TYPE), body);
  assert.deepEqual(resultOf(done, KEY), { subOrganizationUuid: pair.organizationId });
  assert.equal(done.body.activity.votes.length, 2);
  for (const client of pair.clients) refused(await client.send(submitPath(TYPE), body), UNKNOWN);
  const { activity } = (await pair.parent.query('get_activity', { activityId: waiting.body.activity.id })).body;
  assert.deepEqual(
    activity.votes.map((vote: { user: { userName: string } }) => vote.user.userName),
    ['Both leave 0', 'Both leave 1'],
  );
});

test('an approval deletes it too, and other activities that waited stay on record', async () => {
  const pair = await newPair(instance, 'Approved');
  const [first, second] = pair.clients;
  const open = await first.submit('CREATE_WALLET', { walletName: 'Never', accounts: [] });
  const waiting = await first.submit(TYPE, {});
  const { fingerprint } = waiting.body.activity;
  resultOf(await second.submit('APPROVE_ACTIVITY', { fingerprint }), KEY);
  const { activity } = (await pair.parent.query('get_activity', { activityId: open.body.activity.id })).body;
  assert.deepEqual(
    [activity.status, activity.canApprove, activity.canReject],
    ['ACTIVITY_STATUS_CONSENSUS_NEEDED', false, false],
  );
});

test('bad parameters are named', async () => {
  const { client } = await newSub();
  await refusesEach(client, TYPE, [[[], 'parameters', /object/]]);
});
