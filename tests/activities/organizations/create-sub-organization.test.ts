import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { apiKey, ethereumAccount, newKeys, resultOf, userWith } from '../../support/client.ts';
import { freshDatabase } from '../../support/database.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';

const database = await freshDatabase();
const instance = await sharedInstance(database ? { DATABASE_URL: database.url } : {});
after(() => database?.drop());

const TYPE = 'CREATE_SUB_ORGANIZATION_V8';
const KEY = 'createSubOrganizationResultV8';
const params = (more: object = {}) => ({
  subOrganizationName: 'Sub',
  rootQuorumThreshold: 1,
  rootUsers: [userWith('Root', [newKeys()])],
  ...more,
});

test('with root users, a quorum and a wallet', async () => {
  const [a, b] = [newKeys(), newKeys()];
  const wallet = { walletName: 'First', accounts: [ethereumAccount()], mnemonicLength: 24 };
  const rootUsers = [userWith('A', [a], { userEmail: 'a@example.com' }), userWith('B', [b])];
  const answer = await instance.root.submit(TYPE, params({ rootQuorumThreshold: 2, rootUsers, wallet }));
  const result = resultOf(answer, KEY);
  assert.deepEqual(Object.keys(result), ['subOrganizationId', 'wallet', 'rootUserIds']);
  const inside = instance.root.as(b, result.subOrganizationId);
  assert.deepEqual((await inside.query('whoami')).body, {
    organizationId: result.subOrganizationId,
    organizationName: 'Sub',
    userId: result.rootUserIds[1],
    username: 'B',
  });
  const { users } = (await inside.query('list_users')).body;
  assert.deepEqual(
    users.map((u: { userId: string; userName: string; userEmail?: string }) => [u.userId, u.userName, u.userEmail]),
    [
      [result.rootUserIds[0], 'A', 'a@example.com'],
      [result.rootUserIds[1], 'B', undefined],
    ],
  );
  const { accounts } = (await inside.query('list_wallet_accounts', { walletId: result.wallet.walletId })).body;
  assert.deepEqual(
    accounts.map((x: { address: string; organizationId: string }) => [x.address, x.organizationId]),
    [[result.wallet.addresses[0], result.subOrganizationId]],
  );
  // The activity belongs to the parent, and the parent's root user is no root user of the sub-organization.
  assert.equal((await inside.query('get_activity', { activityId: answer.body.activity.id })).status, 404);
  const waiting = await inside.submit('CREATE_WALLET', { walletName: 'Second', accounts: [] });
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const { organizationIds } = (
    await instance.root.query('list_suborgs', { filterType: 'WALLET_ACCOUNT_ADDRESS', filterValue: result.wallet.addresses[0] })
  ).body;
  assert.deepEqual(organizationIds, [result.subOrganizationId]);
});

test('without a wallet the result has none; names and keys may repeat across sub-organizations', async () => {
  const same = params();
  const ids = [];
  for (let i = 0; i < 2; i++) {
    const result = resultOf(await instance.root.submit(TYPE, same), KEY);
    assert.deepEqual(Object.keys(result), ['subOrganizationId', 'rootUserIds']);
    ids.push(result.subOrganizationId);
  }
  assert.notEqual(ids[0], ids[1]);
});

test('version 7 answers under its own key', async () => {
  const sent = params({ wallet: { walletName: 'W', accounts: [ethereumAccount()] } });
  const answer = await instance.root.submit('CREATE_SUB_ORGANIZATION_V7', sent);
  const result = resultOf(answer, 'createSubOrganizationResultV7');
  assert.match(result.subOrganizationId, /^[0-9a-f-]{36}$/);
  assert.equal(result.wallet.addresses.length, 1);
  assert.deepEqual(answer.body.activity.intent, { createSubOrganizationIntentV7: sent });
  const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.deepEqual(activity.intent, { createSubOrganizationIntentV7: sent });
  assert.deepEqual(activity.result, { createSubOrganizationResultV7: result });
});

test('features that are opted out of are off: email is no way in then', async () => {
  const off = { disableEmailAuth: true, disableOtpEmailAuth: true, disableSmsAuth: true };
  const bare = { apiKeys: [] as object[] };
  const mail = [{ ...userWith('Mail', []), ...bare, userEmail: 'm@example.com' }];
  const phone = [{ ...userWith('Phone', []), ...bare, userPhoneNumber: '+14155550100' }];
  for (const rootUsers of [mail, phone]) {
    resultOf(await instance.root.submit(TYPE, params({ rootUsers })), KEY);
    const answer = await instance.root.submit(TYPE, params({ rootUsers, ...off }));
    refused(answer, [400, 'REQUEST_INVALID', /at least one valid credential/], 'parameters.rootUsers[0]');
  }
});

test('a threshold above the number of root users, or none', async () => {
  refused(
    await instance.root.submit(TYPE, params({ rootQuorumThreshold: 2 })),
    [400, 'REQUEST_INVALID', /at most the number of root users, 1/],
    'parameters.rootQuorumThreshold',
  );
  for (const rootQuorumThreshold of [0, -1, 1.5, '1'])
    refused(
      await instance.root.submit(TYPE, params({ rootQuorumThreshold })),
      [400, 'REQUEST_INVALID', /quorum threshold must be non-zero integer/],
      'parameters.rootQuorumThreshold',
    );
});

test('one public key of two root users is refused, and nothing stays', async () => {
  const before = (await instance.root.query('list_suborgs', { paginationOptions: { limit: '100' } })).body.organizationIds;
  const twice = newKeys();
  const rootUsers = [userWith('A', [twice]), userWith('B', [twice])];
  refused(
    await instance.root.submit(TYPE, params({ rootUsers })),
    [400, 'REQUEST_INVALID', /already has a credential with this public key/],
    'parameters.rootUsers[1].apiKeys[0].publicKey',
  );
  const after_ = (await instance.root.query('list_suborgs', { paginationOptions: { limit: '100' } })).body.organizationIds;
  assert.deepEqual(after_, before);
});

test('inside a sub-organization it cannot be started', async () => {
  const sub = await instance.newSubOrganization('Nested', 1, 1);
  for (const type of [TYPE, 'CREATE_SUB_ORGANIZATION_V7']) {
    const answer = await sub.clients[0]!.submit(type, params());
    refused(answer, [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
    assert.equal(answer.body.code, 3);
  }
});

test('bad parameters are named', async () => {
  const root = userWith('Root', [newKeys()]);
  for (const type of [TYPE, 'CREATE_SUB_ORGANIZATION_V7'])
    await refusesEach(instance.root, type, [
      [
        params({ rootUsers: [{ ...root, apiKeys: [apiKey(newKeys(), { curveType: 'API_KEY_CURVE_ED25519' })] }] }),
        'parameters.rootUsers[0].apiKeys[0].publicKey',
        /is not a public key/,
      ],
      [params({ disableSmsAuth: 'yes' }), 'parameters.disableSmsAuth', /boolean/],
      [params({ wallet: { accounts: [] } }), 'parameters.wallet.walletName', /is required \(missing wallet params\)/],
      [params({ wallet: { walletName: 'W' } }), 'parameters.wallet.accounts', /is required \(missing wallet params\)/],
      [params({ rootQuorumThreshold: '1' }), 'parameters.rootQuorumThreshold', /: quorum threshold must be non-zero integer/],
      [
        params({ wallet: { walletName: 'W', accounts: [{ ...ethereumAccount(), path: 'm/x' }] } }),
        'parameters.wallet.accounts[0].path',
        /invalid path/,
      ],
      [params({ verificationToken: 'x' }), 'parameters.verificationToken', /is not a verification token/],
      [params({ rootUsers: [{ ...root, userEmail: 'a@' }] }), 'parameters.rootUsers[0].userEmail', /email/, 'INVALID_EMAIL'],
      [params({ rootUsers: [{ ...root, userPhoneNumber: '+1' }] }), 'parameters.rootUsers[0].userPhoneNumber', /E\.164/],
    ]);
});
