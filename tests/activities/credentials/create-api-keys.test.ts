import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { apiKey, newKeys, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_API_KEYS_V2';
const KEY = 'createApiKeysResult';
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('keys on every curve, shown in their canonical form', async () => {
  const { userId } = await instance.newUser('Three');
  const secp = secp256k1.utils.randomSecretKey();
  const apiKeys = [
    apiKey(newKeys(), { expirationSeconds: '3600' }),
    {
      apiKeyName: 'secp',
      publicKey: hex(secp256k1.getPublicKey(secp, false)).toUpperCase(),
      curveType: 'API_KEY_CURVE_SECP256K1',
    },
    { apiKeyName: 'ed', publicKey: hex(ed25519.getPublicKey(secp)), curveType: 'API_KEY_CURVE_ED25519' },
  ];
  const { apiKeyIds } = resultOf(await instance.root.submit(TYPE, { userId, apiKeys }), KEY);
  assert.equal(apiKeyIds.length, 3);
  const shown = (await instance.root.query('get_api_keys', { userId })).body.apiKeys.filter((k: { apiKeyId: string }) =>
    apiKeyIds.includes(k.apiKeyId),
  );
  assert.deepEqual(
    shown.map((k: { apiKeyId: string; apiKeyName: string; credential: object; expirationSeconds?: string }) => [
      k.apiKeyId,
      k.apiKeyName,
      k.credential,
      k.expirationSeconds,
    ]),
    [
      [apiKeyIds[0], apiKeys[0]!.apiKeyName, { publicKey: apiKeys[0]!.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' }, '3600'],
      [
        apiKeyIds[1],
        'secp',
        { publicKey: hex(secp256k1.getPublicKey(secp)), type: 'CREDENTIAL_TYPE_API_KEY_SECP256K1' },
        undefined,
      ],
      [apiKeyIds[2], 'ed', { publicKey: apiKeys[2]!.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_ED25519' }, undefined],
    ],
  );
});

test('version 1 is on P-256 and has the same result', async () => {
  const { userId } = await instance.newUser('Old');
  const mine = newKeys();
  const sent = { userId, apiKeys: [{ apiKeyName: 'old', publicKey: mine.publicKey }] };
  const answer = await instance.root.submit('CREATE_API_KEYS', sent);
  const result = resultOf(answer, KEY);
  assert.deepEqual(answer.body.activity.intent, { createApiKeysIntent: sent });
  const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.deepEqual([activity.intent, activity.result], [{ createApiKeysIntent: sent }, { [KEY]: result }]);
  assert.equal((await instance.root.as(mine).query('whoami')).body.userId, userId);
});

test('a key works at once, and stops when it expires; the vote that added it shows the user as before', async () => {
  const { userId, client } = await instance.newUser('Short');
  const short = newKeys();
  const answer = await client.submit(TYPE, { userId, apiKeys: [apiKey(short, { expirationSeconds: '60' })] });
  resultOf(answer, KEY);
  assert.equal((await client.as(short).query('whoami')).status, 200);
  const { users } = (await instance.root.query('list_users')).body;
  assert.equal(users.find((u: { userId: string }) => u.userId === userId).apiKeys.length, 2);
  const { activity } = (await client.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.equal(activity.votes[0].user.apiKeys.length, 1, 'votes show the user as of the vote');
  instance.clock.advance(60_000);
  refused(await client.as(short).query('whoami'), [401, 'API_KEY_EXPIRED', /expired api key/]);
});

test('a user adds keys to oneself without permission, and to nobody else', async () => {
  const mine = await instance.newUser('Self');
  const other = await instance.newUser('Other');
  resultOf(await mine.client.submit(TYPE, { userId: mine.userId, apiKeys: [apiKey(newKeys())] }), KEY);
  resultOf(await mine.client.submit(TYPE, { userId: mine.userId.toUpperCase(), apiKeys: [apiKey(newKeys())] }), KEY);
  const answer = await mine.client.submit(TYPE, { userId: other.userId, apiKeys: [apiKey(newKeys())] });
  refused(answer, [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);
  await refusedToNobody(instance, TYPE, { userId: other.userId, apiKeys: [apiKey(newKeys())] });
  await refusedToNobody(instance, 'CREATE_API_KEYS', {
    userId: instance.credentials.userId,
    apiKeys: [{ apiKeyName: 'x', publicKey: newKeys().publicKey }],
  });
});

test('a public key that the organization has is refused whoever holds it, and in whatever form', async () => {
  const { userId, keys } = await instance.newUser('Holder');
  const fresh = newKeys();
  for (const apiKeys of [
    [apiKey(newKeys()), apiKey(keys)],
    [apiKey(fresh), apiKey(fresh)],
    [apiKey(newKeys()), apiKey({ ...keys, publicKey: keys.publicKey.toUpperCase() })],
    [apiKey(newKeys()), apiKey(instance.root.keys)],
  ]) {
    const answer = await instance.root.submit(TYPE, { userId, apiKeys });
    refused(answer, [400, 'REQUEST_INVALID', /already has a credential with this public key/], 'parameters.apiKeys[1].publicKey');
  }
  assert.equal((await instance.root.query('get_api_keys', { userId })).body.apiKeys.length, 1, 'nothing of them stays');
});

test('an unknown user, and a user of another organization', async () => {
  for (const userId of [NOBODY, pair.userIds[0]]) {
    const answer = await instance.root.submit(TYPE, { userId, apiKeys: [apiKey(newKeys())] });
    refused(answer, [404, 'UNSPECIFIED', /user not found/]);
  }
});

test('bad parameters are named', async () => {
  const { userId } = await instance.newUser('Bad');
  const at = 'parameters.apiKeys[0]';
  const one = (more: object) => ({ userId, apiKeys: [apiKey(newKeys(), more)] });
  await refusesEach(instance.root, TYPE, [
    [one({ publicKey: 'ab' }), `${at}.publicKey`, /is not a public key/],
    [one({ publicKey: `02${'ff'.repeat(32)}` }), `${at}.publicKey`, /is not a public key/],
    [one({ publicKey: 'ab'.repeat(66) }), `${at}.publicKey`, /hex public key/],
    [one({ curveType: 'API_KEY_CURVE_ED25519' }), `${at}.publicKey`, /is not a public key/],
    ...['0', '-1', '1.5', '', '1e3', '99999999999'].map(
      (expirationSeconds) =>
        [one({ expirationSeconds }), `${at}.expirationSeconds`, /api key expiration/] as [unknown, string, RegExp],
    ),
  ]);
});

test('waits for the second root user, even where a root user adds a key to oneself', async () => {
  const added = newKeys();
  await waitsForBoth(pair, TYPE, { userId: pair.userIds[0], apiKeys: [apiKey(added)] }, KEY);
  assert.equal((await pair.clients[0].as(added).query('whoami')).body.userId, pair.userIds[0]);
  const old = { userId: pair.outsiderId, apiKeys: [{ apiKeyName: 'old', publicKey: newKeys().publicKey }] };
  await waitsForBoth(pair, 'CREATE_API_KEYS', old, KEY);
  // A user outside the quorum changes own keys without any other approval.
  resultOf(await pair.outsider.submit(TYPE, { userId: pair.outsiderId, apiKeys: [apiKey(newKeys())] }), KEY);
});

test('two keys of one user are one vote', async () => {
  const second = newKeys();
  await agreed(pair, TYPE, { userId: pair.userIds[0], apiKeys: [apiKey(second)] });
  const [first] = pair.clients;
  const body = first.bodyOf(TYPE, { userId: pair.outsiderId, apiKeys: [apiKey(newKeys())] });
  for (const client of [first, first.as(second)]) {
    const { activity } = (await client.send('/public/v1/submit/create_api_keys', body)).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.equal(activity.votes.length, 1);
  }
});
