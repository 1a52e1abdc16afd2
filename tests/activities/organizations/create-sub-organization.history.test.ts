import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { type Client, ethereumAccount, type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance({ LIMIT_PRIVATE_KEYS: '3' });

const keyV1 = (keys: Keys) => ({ apiKeyName: 'key', publicKey: keys.publicKey });
const wallet = () => ({ walletName: 'First', accounts: [ethereumAccount()] });
const privateKeys = () => [
  { privateKeyName: 'one', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
  { privateKeyName: 'two', curve: 'CURVE_ED25519', privateKeyTags: [], addressFormats: [] },
];

/** A root user of a version before 7. */
const user = (name: string, apiKeys: object[], more: object = {}) => ({ userName: name, apiKeys, authenticators: [], ...more });

type Version = { key: string; root(name: string, keys: Keys): object; required: string[]; more(): object; made: string[] };

/** What each version takes and gives. `required`: lists that a root user must have, though they may be empty. */
const VERSIONS: Record<string, Version> = {
  _V2: {
    key: 'createSubOrganizationResult',
    root: (name, keys) => user(name, [keyV1(keys)]),
    required: ['apiKeys', 'authenticators'],
    more: () => ({}),
    made: ['subOrganizationId', 'rootUserIds'],
  },
  _V3: {
    key: 'createSubOrganizationResultV3',
    root: (name, keys) => user(name, [keyV1(keys)]),
    required: ['apiKeys', 'authenticators'],
    more: () => ({ privateKeys: privateKeys() }),
    made: ['subOrganizationId', 'privateKeys', 'rootUserIds'],
  },
  _V4: {
    key: 'createSubOrganizationResultV4',
    root: (name, keys) => user(name, [keyV1(keys)]),
    required: ['apiKeys', 'authenticators'],
    more: () => ({ wallet: wallet(), disableEmailRecovery: true }),
    made: ['subOrganizationId', 'wallet', 'rootUserIds'],
  },
  _V5: {
    key: 'createSubOrganizationResultV5',
    root: (name, keys) => user(name, [keyV1(keys)], { oauthProviders: [] }),
    required: ['apiKeys', 'authenticators', 'oauthProviders'],
    more: () => ({ wallet: wallet(), disableEmailAuth: true }),
    made: ['subOrganizationId', 'wallet', 'rootUserIds'],
  },
  _V6: {
    key: 'createSubOrganizationResultV6',
    root: (name, keys) => userWith(name, [keys]),
    required: ['apiKeys', 'authenticators', 'oauthProviders'],
    more: () => ({ wallet: wallet(), disableEmailAuth: true, disableEmailRecovery: true }),
    made: ['subOrganizationId', 'wallet', 'rootUserIds'],
  },
  _V7: {
    key: 'createSubOrganizationResultV7',
    root: (name, keys) => userWith(name, [keys], { userPhoneNumber: '+14155550100' }),
    required: ['apiKeys', 'authenticators', 'oauthProviders'],
    more: () => ({ wallet: wallet(), disableSmsAuth: true, disableOtpEmailAuth: true }),
    made: ['subOrganizationId', 'wallet', 'rootUserIds'],
  },
  _V8: {
    key: 'createSubOrganizationResultV8',
    root: (name, keys) => userWith(name, [keys], { userPhoneNumber: '+14155550100' }),
    required: ['apiKeys', 'authenticators', 'oauthProviders'],
    more: () => ({
      wallet: wallet(),
      disableEmailAuth: true,
      disableEmailRecovery: true,
      disableSmsAuth: true,
      disableOtpEmailAuth: true,
    }),
    made: ['subOrganizationId', 'wallet', 'rootUserIds'],
  },
};

/** Version 1 has a passkey for its one root user. */
const TYPE_1 = 'CREATE_SUB_ORGANIZATION';
const paramsV1 = (more: object = {}) => ({ name: 'First', rootAuthenticator: new SoftAuthenticator().register(), ...more });

test(`${TYPE_1}: one root user with a passkey`, async () => {
  const passkey = new SoftAuthenticator();
  const sent = paramsV1({ rootAuthenticator: passkey.register({ name: 'my phone' }) });
  const answer = await instance.root.submit(TYPE_1, sent);
  const result = resultOf(answer, 'createSubOrganizationResult');
  assert.deepEqual(Object.keys(result).sort(), ['rootUserIds', 'subOrganizationId']);
  assert.deepEqual(answer.body.activity.intent, { createSubOrganizationIntent: sent });
  const parent = instance.root.as(instance.root.keys, result.subOrganizationId);
  const { users } = (await parent.query('list_users')).body;
  assert.deepEqual(
    users.map((one: { userId: string; userName: string; apiKeys: object[] }) => [one.userId, one.userName, one.apiKeys]),
    [[result.rootUserIds[0], 'Root user', []]],
  );
  const [shown] = users[0].authenticators;
  assert.deepEqual([shown.authenticatorName, shown.credentialId], ['my phone', passkey.id]);
  const { configs } = (await parent.query('get_organization_configs')).body;
  assert.deepEqual(configs.quorum, { threshold: 1, userIds: result.rootUserIds });
  assert.equal(configs.features.length, 4);
});

test(`${TYPE_1}: bad parameters are named`, async () => {
  const wrong = new SoftAuthenticator().register({ signedChallenge: 'b3RoZXI' });
  const answer = await instance.root.submit(TYPE_1, paramsV1({ rootAuthenticator: wrong }));
  assert.equal(answer.status, 400, answer.text);
});

test(`${TYPE_1}: refused inside a sub-organization`, async () => {
  const sub = await instance.newSubOrganization('Nested', 1, 1);
  refused(await sub.clients[0]!.submit(TYPE_1, paramsV1()), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
});

const FEATURES = {
  disableEmailAuth: 'FEATURE_NAME_EMAIL_AUTH',
  disableEmailRecovery: 'FEATURE_NAME_EMAIL_RECOVERY',
  disableOtpEmailAuth: 'FEATURE_NAME_OTP_EMAIL_AUTH',
  disableSmsAuth: 'FEATURE_NAME_SMS_AUTH',
} as const;

const listed = async (): Promise<string[]> => {
  const ids: string[] = [];
  for (;;) {
    const paginationOptions = { limit: '100', ...(ids.length > 0 && { after: ids.at(-1) }) };
    const { organizationIds } = (await instance.root.query('list_suborgs', { paginationOptions })).body;
    ids.push(...organizationIds);
    if (organizationIds.length < 100) return ids;
  }
};

for (const [version, { key, root, required, more, made }] of Object.entries(VERSIONS)) {
  const type = `CREATE_SUB_ORGANIZATION${version}`;
  const params = (changed: object = {}) => ({
    subOrganizationName: `Sub${version}`,
    rootQuorumThreshold: 1,
    rootUsers: [root('Root', newKeys())],
    ...more(),
    ...changed,
  });

  test(`${type}: what it brings is there, in the shape of its version`, async () => {
    const [a, b] = [newKeys(), newKeys()];
    const sent = params({ rootQuorumThreshold: 2, rootUsers: [root('A', a), root('B', b)] });
    const answer = await instance.root.submit(type, sent);
    const result = resultOf(answer, key);
    assert.deepEqual(Object.keys(result).sort(), [...made].sort());
    assert.deepEqual(answer.body.activity.intent, { [`createSubOrganizationIntent${version.slice(1)}`]: sent });
    const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
    assert.deepEqual([activity.intent, activity.result], [answer.body.activity.intent, { [key]: result }]);

    const inside = instance.root.as(b, result.subOrganizationId);
    const { body } = await inside.query('whoami');
    assert.deepEqual([body.organizationName, body.userId, body.username], [`Sub${version}`, result.rootUserIds[1], 'B']);
    const { configs } = (await inside.query('get_organization_configs')).body;
    assert.deepEqual(configs.quorum, { threshold: 2, userIds: result.rootUserIds });
    const off = Object.keys(more());
    assert.deepEqual(
      configs.features.map(({ name }: { name: string }) => name),
      Object.entries(FEATURES).flatMap(([flag, name]) => (off.includes(flag) ? [] : [name])),
    );
    await assertKeys(inside, result);
  });

  test(`${type}: a user without permission is refused, and nothing is made`, async () => {
    const before = await listed();
    await refusedToNobody(instance, type, params());
    assert.deepEqual(await listed(), before);
  });

  test(`${type}: bad parameters are named`, async () => {
    const keys = newKeys();
    const missing = (of: string, at = `parameters.${of}`) =>
      [params({ [of]: undefined }), at, /is required|must be non-zero/] as const;
    const bare = root('Bare', keys);
    await refusesEach(instance.root, type, [
      missing('subOrganizationName'),
      missing('rootUsers'),
      missing('rootQuorumThreshold'),
      ...required.flatMap((list) =>
        [undefined, null].map(
          (value) =>
            [params({ rootUsers: [{ ...bare, [list]: value }] }), `parameters.rootUsers[0].${list}`, /is required/] as const,
        ),
      ),
      [params({ rootUsers: [{ ...bare, apiKeys: [] }] }), 'parameters.rootUsers[0]', /at least one valid credential/],
      [params({ rootQuorumThreshold: 2 }), 'parameters.rootQuorumThreshold', /at most the number of root users, 1/],
    ]);
  });

  test(`${type}: inside a sub-organization it cannot be started`, async () => {
    const sub = await instance.newSubOrganization(`Nested${version}`, 1, 1);
    refused(await sub.clients[0]!.submit(type, params()), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
  });

  test(`${type}: a late refusal leaves nothing of the sub-organization`, async () => {
    const before = await listed();
    const [userName, same] = [`Half${version}`, newKeys()];
    const rootUsers = [root(userName, newKeys()), root('A', same), root('B', same)];
    refused(
      await instance.root.submit(type, params({ rootUsers })),
      [400, 'REQUEST_INVALID', /already has a credential with this public key/],
      'parameters.rootUsers[2].apiKeys[0].publicKey',
    );
    assert.deepEqual(await listed(), before);
    const filter = { filterType: 'USERNAME', filterValue: userName };
    assert.deepEqual((await instance.root.query('list_suborgs', filter)).body.organizationIds, []);
    assert.equal((await instance.raw('SELECT 1 AS n FROM users WHERE name = $1', userName)).length, 0);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: results are looked into freely by tests
async function assertKeys(inside: Client, result: any): Promise<void> {
  const { wallets } = (await inside.query('list_wallets')).body;
  assert.deepEqual(
    wallets.map(({ walletId, walletName }: { walletId: string; walletName: string }) => [walletId, walletName]),
    result.wallet ? [[result.wallet.walletId, 'First']] : [],
  );
  const keys = (await inside.query('list_private_keys')).body.privateKeys;
  assert.deepEqual(
    keys.map(({ privateKeyId, addresses }: { privateKeyId: string; addresses: object[] }) => ({ privateKeyId, addresses })),
    result.privateKeys ?? [],
  );
}

test('private keys of version 3: limits and tags are checked, and nothing stays', async () => {
  const before = await listed();
  const type = 'CREATE_SUB_ORGANIZATION_V3';
  const base = { subOrganizationName: 'Keys', rootQuorumThreshold: 1 };
  const sent = (keys: object[]) => ({ ...base, rootUsers: [user('Root', [keyV1(newKeys())])], privateKeys: keys });
  const [one] = privateKeys();
  const four = [1, 2, 3, 4].map((n) => ({ ...one, privateKeyName: `key ${n}` }));
  refused(await instance.root.submit(type, sent(four)), [429, 'UNSPECIFIED', /limit of 3 private keys/]);
  const tagged = { ...one, privateKeyTags: ['00000000-0000-7000-8000-000000000001'] };
  refused(await instance.root.submit(type, sent([tagged])), [404, 'UNSPECIFIED', /privateKeys\[0\]\.privateKeyTags names/]);
  refused(
    await instance.root.submit(type, sent([one!, one!])),
    [400, 'REQUEST_INVALID', /label must be unique/],
    'parameters.privateKeys[1].privateKeyName',
  );
  await refusesEach(instance.root, type, [[sent([{ ...one, curve: 'CURVE_X' }]), 'parameters.privateKeys[0].curve', /curve/]]);
  assert.deepEqual(await listed(), before);
  const empty = resultOf(await instance.root.submit(type, sent([])), 'createSubOrganizationResultV3');
  assert.deepEqual(empty.privateKeys, []);
});

test('a key without an end is a way in, and one that ends is not', async () => {
  const type = 'CREATE_SUB_ORGANIZATION_V4';
  const base = { subOrganizationName: 'Ends', rootQuorumThreshold: 1 };
  const rootUsers = (more: object) => [user('Root', [{ ...keyV1(newKeys()), expirationSeconds: '60' }], more)];
  refused(
    await instance.root.submit(type, { ...base, rootUsers: rootUsers({}) }),
    [400, 'REQUEST_INVALID', /at least one valid credential/],
    'parameters.rootUsers[0]',
  );
  const mail = { userEmail: 'root@example.com' };
  resultOf(await instance.root.submit(type, { ...base, rootUsers: rootUsers(mail) }), 'createSubOrganizationResultV4');
});
