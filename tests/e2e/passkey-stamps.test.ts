import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flip, ORIGIN, SoftAuthenticator } from '../support/authenticator.ts';
import { type Client, post, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { addPasskey, byPasskey } from '../support/passkey-client.ts';
import { refused } from '../support/refusals.ts';

const instance = await sharedInstance();

const WRONG: [number, string, RegExp] = [401, 'SIGNATURE_INVALID', /^could not verify WebAuthN signature/];
const UNKNOWN: [number, string, RegExp] = [
  401,
  'CREDENTIAL_NOT_FOUND',
  /^credential ID could not be found in organization or its parent organization$/,
];
const CONFLICT: [number, string, RegExp] = [401, 'CREDENTIAL_CONFLICT', /^more than one suborg associated with a credential ID$/];
const UNREADABLE: [number, string, RegExp] = [401, 'SIGNATURE_INVALID', /could not extract webauthn stamp/];

async function passkeyUser(name: string, algorithm: 'ES256' | 'RS256' = 'ES256') {
  const user = await instance.newUser(name);
  const authenticator = new SoftAuthenticator(algorithm);
  await addPasskey(user.client, user.userId, authenticator);
  return { ...user, authenticator, passkey: byPasskey(user.client, authenticator) };
}

const whoami = (client: Client, headers: Record<string, string>, body: string) =>
  post(`${client.url}/public/v1/query/whoami`, body, headers);
const bodyFor = (organizationId: string) => JSON.stringify({ organizationId });

for (const algorithm of ['ES256', 'RS256'] as const)
  test(`${algorithm}: a stamp in X-Stamp-WebAuthn, and in X-Stamp`, async () => {
    const { client, userId, authenticator } = await passkeyUser(`By ${algorithm}`, algorithm);
    const body = bodyFor(client.organizationId);
    const stamp = JSON.stringify(authenticator.assert(body));
    const forms: Record<string, string>[] = [
      { 'X-Stamp-WebAuthn': stamp },
      { 'x-stamp-webauthn': stamp },
      { 'X-Stamp': Buffer.from(stamp).toString('base64url') },
    ];
    for (const headers of forms) {
      const answer = await whoami(client, headers, body);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.userId, userId);
      refused(await whoami(client, headers, `${body} `), WRONG);
    }
  });

test('a fault of a stamp is named, and nothing of the request is accepted', async () => {
  const { client, passkey, authenticator } = await passkeyUser('Wrong stamps');
  const wrong = [
    { challenge: 'AAAA' },
    { origin: 'https://other.com' },
    { rpId: 'other.com' },
    { flags: 0x04 },
    { type: 'webauthn.create' },
    { tamper: ({ authenticatorData }: { authenticatorData: Buffer }) => flip(authenticatorData, 33) },
  ];
  for (const options of wrong) {
    refused(await passkey.query('whoami', {}, options), WRONG);
    refused(await passkey.submit('CREATE_WALLET', { walletName: 'no', accounts: [] }, options), WRONG);
  }
  // Another user's credential id with one's own key, and one's own stamp under another user's credential id.
  const other = await passkeyUser('Other');
  const claims = new SoftAuthenticator('ES256', other.authenticator.credentialId);
  refused(await byPasskey(client, claims).query('whoami'), WRONG);
  const as = ({ credentialId }: { credentialId: Buffer }) => void other.authenticator.credentialId.copy(credentialId);
  refused(await passkey.query('whoami', {}, { tamper: as }), WRONG);
  refused(await byPasskey(client, new SoftAuthenticator()).query('whoami'), UNKNOWN);
  const body = bodyFor(client.organizationId);
  const good = authenticator.assert(body);
  for (const header of [
    '',
    'x',
    '[]',
    '{}',
    '{"credentialId":1}',
    JSON.stringify({ ...good, signature: '' }),
    `{${'"a":1,'.repeat(20)}"b":1}`,
  ])
    refused(await whoami(client, { 'X-Stamp-WebAuthn': header }, body), UNREADABLE);
  assert.equal((await passkey.query('whoami')).status, 200);
});

test('a credential of another organization answers as an unknown one does', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const sibling = await instance.newSubOrganization('Sibling', 1, 1);
  const authenticator = new SoftAuthenticator();
  await addPasskey(sub.clients[0]!, sub.userIds[0]!, authenticator);
  refused(await byPasskey(sibling.clients[0]!, authenticator).query('whoami'), UNKNOWN);
  refused(await byPasskey(instance.root, authenticator).query('list_users'), UNKNOWN);
});

test('a parent’s passkey reads a sub-organization, and writes nothing there', async () => {
  const { authenticator } = await passkeyUser('Parent');
  const sub = await instance.newSubOrganization('Read', 1, 1);
  const there = byPasskey(sub.clients[0]!, authenticator);
  assert.equal((await there.query('list_users')).body.users.length, 1);
  refused(await there.submit('CREATE_WALLET', { walletName: 'no', accounts: [] }), [
    400,
    'ORGANIZATION_MISMATCH',
    /organization mismatch/,
  ]);
  // A user of the sub-organization claims the credential id: the parent's own passkey works on.
  const claims = new SoftAuthenticator('ES256', authenticator.credentialId);
  await addPasskey(sub.clients[0]!, sub.userIds[0]!, claims);
  assert.equal((await there.query('list_users')).status, 200);
  assert.equal((await byPasskey(sub.clients[0]!, claims).query('whoami')).body.userId, sub.userIds[0]);
});

test('whoami finds the sub-organization by the credential', async () => {
  const [one, two] = [await instance.newSubOrganization('One', 1, 1), await instance.newSubOrganization('Two', 1, 1)];
  const authenticator = new SoftAuthenticator();
  await addPasskey(one.clients[0]!, one.userIds[0]!, authenticator);
  const above = byPasskey(instance.root, authenticator);
  const { body } = await above.query('whoami');
  assert.deepEqual([body.organizationId, body.userId], [one.organizationId, one.userIds[0]]);
  refused(await above.query('whoami', {}, { challenge: 'AAAA' }), WRONG);
  // A caller who claims the credential id elsewhere, without its key, changes nothing.
  const claims = new SoftAuthenticator('ES256', authenticator.credentialId);
  await addPasskey(two.clients[0]!, two.userIds[0]!, claims);
  assert.equal((await above.query('whoami')).body.organizationId, one.organizationId);
  // The same passkey in both is ambiguous.
  const three = await instance.newSubOrganization('Three', 1, 1);
  await addPasskey(three.clients[0]!, three.userIds[0]!, authenticator);
  refused(await above.query('whoami'), CONFLICT);
});

test('the origins of the top-level organization hold for its sub-organizations, at registration and for each stamp', async () => {
  const sub = await instance.newSubOrganization('Origins', 1, 1);
  const client = sub.clients[0]!;
  const authenticator = new SoftAuthenticator();
  await addPasskey(client, sub.userIds[0]!, authenticator);
  const passkey = byPasskey(client, authenticator);
  const other = 'https://other.example.com';
  const set = async (value: string) =>
    resultOf(
      await instance.root.submit('SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value }),
      'setOrganizationFeatureResult',
    );
  const added = (origin: string) =>
    client.submit('CREATE_AUTHENTICATORS_V2', {
      userId: sub.userIds[0],
      authenticators: [new SoftAuthenticator().register({ origin })],
    });
  try {
    await set(other);
    refused(await passkey.query('whoami'), WRONG);
    assert.equal((await passkey.query('whoami', {}, { origin: other })).status, 200);
    refused(await added(ORIGIN), [400, 'REQUEST_INVALID', /does not allow passkeys of its origin/]);
    assert.equal((await added(other)).status, 200);
    await set(`${other}, ${ORIGIN}`);
    assert.equal((await passkey.query('whoami')).status, 200);
  } finally {
    resultOf(
      await instance.root.submit('REMOVE_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }),
      'removeOrganizationFeatureResult',
    );
  }
});

test('policies see that a passkey made the request', async () => {
  const sub = await instance.newSubOrganization('Policies', 1, 1);
  const root = sub.clients[0]!;
  const authenticator = new SoftAuthenticator();
  const user = { ...userWith('By both', []), userTags: [], authenticators: [authenticator.register()] };
  const made = await root.submit('CREATE_USERS_V4', { users: [user] });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  const wallet = (walletName: string) => ({ walletName, accounts: [] });
  const passkey = byPasskey(root, authenticator);
  const allow = {
    policyName: 'passkeys only',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(user, user.id == '${userId}') && credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')`,
    condition: "activity.kind == 'CREATE_WALLET'",
    notes: '',
  };
  refused(await passkey.submit('CREATE_WALLET', wallet('a')), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  resultOf(await root.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  resultOf(await passkey.submit('CREATE_WALLET', wallet('a')), 'createWalletResult');
});

test('a signature by passkey is recorded with its stamp, and the same body is the same activity', async () => {
  const authenticator = new SoftAuthenticator();
  const id = await addPasskey(instance.root, instance.credentials.userId, authenticator);
  const passkey = byPasskey(instance.root, authenticator);
  const key = { privateKeyName: 'signs', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] };
  const { privateKeys } = resultOf(
    await passkey.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key] }),
    'createPrivateKeysResultV2',
  );
  const body = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', {
    signWith: privateKeys[0].privateKeyId,
    payload: '00',
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_SHA256',
  });
  const path = '/public/v1/submit/sign_raw_payload';
  const first = await passkey.send(path, body);
  const { activity } = first.body;
  resultOf(first, 'signRawPayloadResult');
  const [vote] = activity.votes;
  const [{ credential }] = (await instance.root.query('get_authenticators', { userId: instance.credentials.userId })).body
    .authenticators;
  assert.equal(vote.publicKey, credential.publicKey);
  assert.deepEqual(Object.keys(JSON.parse(vote.signature)).sort(), [
    'authenticatorData',
    'clientDataJson',
    'credentialId',
    'signature',
  ]);
  assert.equal((await passkey.send(path, body)).body.activity.id, activity.id);
  assert.equal((await instance.root.send(path, body)).body.activity.id, activity.id);
  resultOf(
    await instance.root.submit('DELETE_AUTHENTICATORS', { userId: instance.credentials.userId, authenticatorIds: [id] }),
    'deleteAuthenticatorsResult',
  );
  refused(await passkey.send(path, body), UNKNOWN);
  // The vote still shows its user as it was.
  const again = (await instance.root.query('get_activity', { activityId: activity.id })).body.activity.votes[0];
  assert.deepEqual(
    again.user.authenticators.map((a: { authenticatorId: string }) => a.authenticatorId),
    [id],
  );
});
