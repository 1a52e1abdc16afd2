import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { resultOf, submitPath, userWith } from '../../support/client.ts';
import { addPasskey, byPasskey } from '../../support/passkey-client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_AUTHENTICATORS_V2';
const KEY = 'createAuthenticatorsResult';
const ATTESTATION = /invalid authenticator attestation/;

test('a passkey that was added stamps queries and submits, and is shown with its user', async () => {
  const user = await instance.newUser('Adds');
  const authenticator = new SoftAuthenticator();
  const given = { userId: user.userId, authenticators: [authenticator.register({ name: 'my phone' })] };
  const result = resultOf(await user.client.submit(TYPE, given), KEY);
  assert.equal(result.authenticatorIds.length, 1);
  const passkey = byPasskey(user.client, authenticator);
  const who = await passkey.query('whoami');
  assert.equal(who.body.userId, user.userId, who.text);
  const { user: shown } = (await passkey.query('get_user', { userId: user.userId })).body;
  assert.equal(shown.authenticators.length, 1);
  const [one] = shown.authenticators;
  assert.deepEqual(Object.keys(one).sort(), [
    'aaguid',
    'attestationType',
    'authenticatorId',
    'authenticatorName',
    'createdAt',
    'credential',
    'credentialId',
    'model',
    'transports',
    'updatedAt',
  ]);
  assert.equal(one.authenticatorId, result.authenticatorIds[0]);
  assert.equal(one.authenticatorName, 'my phone');
  assert.equal(one.credentialId, authenticator.id);
  assert.equal(one.attestationType, 'none');
  assert.equal(one.credential.type, 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR');
  // And adds another, by itself.
  const second = new SoftAuthenticator('RS256');
  const more = await passkey.submit(TYPE, { userId: user.userId, authenticators: [second.selfAttested()] });
  resultOf(more, KEY);
  assert.equal((await byPasskey(user.client, second).query('whoami')).body.userId, user.userId);
  const users = (await instance.root.query('list_users')).body.users;
  assert.equal(users.find((u: { userId: string }) => u.userId === user.userId).authenticators.length, 2);
});

test('the earlier form', async () => {
  const user = await instance.newUser('Earlier');
  const authenticator = new SoftAuthenticator();
  const entry = authenticator.registerV1(user.userId);
  const answer = await user.client.submit('CREATE_AUTHENTICATORS', { userId: user.userId, authenticators: [entry] });
  const { activity } = answer.body;
  assert.equal(activity.type, 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS', answer.text);
  assert.deepEqual(activity.intent, { createAuthenticatorsIntent: { userId: user.userId, authenticators: [entry] } });
  assert.equal(resultOf(answer, KEY).authenticatorIds.length, 1);
  assert.equal((await byPasskey(user.client, authenticator).query('whoami')).status, 200);
  // A browser that does not know where its passkey is answers with null, which is absent.
  const unknown = new SoftAuthenticator();
  const { attestation, ...rest } = unknown.registerV1(user.userId);
  const { authenticatorAttachment: _, ...known } = attestation;
  const nulls = { ...attestation, authenticatorAttachment: null };
  const response = { ...attestation.response, authenticatorAttachment: null };
  const second = await user.client.submit('CREATE_AUTHENTICATORS', {
    userId: user.userId,
    authenticators: [{ ...rest, attestation: { ...nulls, response } }],
  });
  assert.equal(resultOf(second, KEY).authenticatorIds.length, 1);
  const shown = second.body.activity.intent.createAuthenticatorsIntent.authenticators;
  assert.deepEqual(shown, [{ ...rest, attestation: known }]);
  assert.equal((await byPasskey(user.client, unknown).query('whoami')).status, 200);
  const parameters = (change: (e: ReturnType<SoftAuthenticator['registerV1']>) => void) => {
    const made = new SoftAuthenticator().registerV1(user.userId);
    change(made);
    return { userId: user.userId, authenticators: [made] };
  };
  const at = 'parameters.authenticators[0]';
  await refusesEach(user.client, 'CREATE_AUTHENTICATORS', [
    [parameters((e) => Object.assign(e, { userId: NOBODY })), `${at}.userId`, /must name the same user/],
    [parameters((e) => Object.assign(e.attestation, { rawId: 'AAAA' })), `${at}.attestation.rawId`, /must be the same as id/],
    [parameters((e) => Object.assign(e.attestation, { type: 'password' })), `${at}.attestation.type`, /public-key/],
    [
      parameters((e) => Object.assign(e.attestation.response, { attestationObject: 'AAAA' })),
      `${at}.attestation.attestationObject`,
      ATTESTATION,
    ],
  ]);
});

test('a registration is verified', async () => {
  const { userId } = instance.credentials;
  const with_ = (options: Parameters<SoftAuthenticator['register']>[0]) => ({
    userId,
    authenticators: [new SoftAuthenticator().register(), new SoftAuthenticator().register(options)],
  });
  const at = 'parameters.authenticators[1]';
  const before = (await instance.root.query('get_authenticators', { userId })).body.authenticators.length;
  await refusesEach(instance.root, TYPE, [
    [with_({ signedChallenge: 'AAAA' }), `${at}.challenge`, ATTESTATION],
    [with_({ rpId: 'other.com' }), `${at}.attestation.attestationObject`, ATTESTATION],
    [with_({ credentialId: Buffer.alloc(16, 1) }), `${at}.attestation.credentialId`, ATTESTATION],
  ]);
  const after_ = (await instance.root.query('get_authenticators', { userId })).body.authenticators.length;
  assert.equal(after_, before, 'nothing of a failed activity stays');
});

test('a credential id is registered once in an organization, and again in another one', async () => {
  const [first, second] = [await instance.newUser('First'), await instance.newUser('Second')];
  const authenticator = new SoftAuthenticator();
  await addPasskey(first.client, first.userId, authenticator);
  const taken = { userId: second.userId, authenticators: [authenticator.register()] };
  const wanted: [number, string, RegExp] = [400, 'REQUEST_INVALID', /already has a passkey with this credential id/];
  refused(await second.client.submit(TYPE, taken), wanted, 'parameters.authenticators[0].attestation.credentialId');
  const twice = new SoftAuthenticator();
  const both = { userId: second.userId, authenticators: [twice.register(), twice.register()] };
  refused(await second.client.submit(TYPE, both), wanted, 'parameters.authenticators[1].attestation.credentialId');
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  await addPasskey(sub.clients[0]!, sub.userIds[0]!, authenticator);
});

test('at most ten for a user, also when they are added at the same time', async () => {
  const user = await instance.newUser('Many');
  const several = (count: number) => ({
    userId: user.userId,
    authenticators: Array.from({ length: count }, () => new SoftAuthenticator().register()),
  });
  resultOf(await user.client.submit(TYPE, several(8)), KEY);
  const wanted: [number, string, RegExp] = [
    429,
    'UNSPECIFIED',
    /^user has exceeded maximum authenticators: at most 10 \(LIMIT_AUTHENTICATORS\)$/,
  ];
  refused(await user.client.submit(TYPE, several(3)), wanted);
  const answers = await Promise.all(Array.from({ length: 4 }, () => user.client.submit(TYPE, several(1))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429, 429]);
  assert.equal((await user.client.query('get_authenticators', { userId: user.userId })).body.authenticators.length, 10);
});

test('new users may bring passkeys, which are a lasting credential', async () => {
  const authenticator = new SoftAuthenticator();
  const user = { ...userWith('By passkey', []), userTags: [], authenticators: [authenticator.register()] };
  const made = await instance.root.submit('CREATE_USERS_V4', { users: [user] });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  assert.equal((await byPasskey(instance.root, authenticator).query('whoami')).body.userId, userId);
  const earlier = new SoftAuthenticator();
  const old = {
    userName: 'By passkey, long ago',
    accessType: 'ACCESS_TYPE_WEB',
    apiKeys: [],
    userTags: [],
    authenticators: [earlier.registerV1('')],
  };
  resultOf(await instance.root.submit('CREATE_USERS', { users: [old] }), 'createUsersResult');
  assert.equal((await byPasskey(instance.root, earlier).query('whoami')).status, 200);
  const root = new SoftAuthenticator();
  const sub = {
    subOrganizationName: 'By passkey',
    rootQuorumThreshold: 1,
    rootUsers: [{ ...userWith('Root', []), authenticators: [root.register()] }],
  };
  const { subOrganizationId } = resultOf(
    await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', sub),
    'createSubOrganizationResultV8',
  );
  const there = instance.root.as(instance.root.keys, subOrganizationId);
  resultOf(await byPasskey(there, root).submit('CREATE_WALLET', { walletName: 'mine', accounts: [] }), 'createWalletResult');
  const bad = { ...user, authenticators: [new SoftAuthenticator().register({ type: 'webauthn.get' })] };
  refused(
    await instance.root.submit('CREATE_USERS_V4', { users: [bad] }),
    [400, 'REQUEST_INVALID', ATTESTATION],
    'parameters.users[0].authenticators[0].attestation.clientDataJson',
  );
});

test('a user without permission adds passkeys to nobody else', async () => {
  const victim = await instance.newUser('Victim');
  const given = { userId: victim.userId, authenticators: [new SoftAuthenticator().register()] };
  await refusedToNobody(instance, TYPE, given);
  refused(await instance.root.submit(TYPE, { ...given, userId: NOBODY }), [
    404,
    'UNSPECIFIED',
    /user not found: parameters.userId names/,
  ]);
  refused(await instance.root.submit(TYPE, { ...given, userId: pair.userIds[0] }), [404, 'UNSPECIFIED', /user not found/]);
});

test('votes by passkey are counted, recorded and shown with their credential', async () => {
  const authenticators = [new SoftAuthenticator(), new SoftAuthenticator()] as const;
  const ids: string[] = [];
  for (const [i, authenticator] of authenticators.entries()) {
    const added = await agreed(pair, TYPE, { userId: pair.userIds[i], authenticators: [authenticator.register()] });
    ids.push(resultOf(added, KEY).authenticatorIds[0]);
  }
  const body = pair.clients[0].bodyOf('CREATE_WALLET', { walletName: 'By passkeys', accounts: [] });
  const path = submitPath('CREATE_WALLET');
  const [first, second] = authenticators.map((authenticator, i) => byPasskey(pair.clients[i]!, authenticator));
  const waiting = (await first!.send(path, body)).body.activity;
  assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const { activity: seen } = (await second!.query('get_activity', { activityId: waiting.id })).body;
  assert.deepEqual([seen.canApprove, seen.canReject], [true, true]);
  assert.equal((await first!.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', 'it counts once');
  const done = (await second!.send(path, body)).body.activity;
  assert.equal(done.status, 'ACTIVITY_STATUS_COMPLETED');
  for (const [i, vote] of done.votes.entries()) {
    assert.equal(vote.userId, pair.userIds[i]);
    assert.equal(vote.scheme, 'SIGNATURE_SCHEME_TK_WEBAUTHN');
    const mine = vote.user.authenticators.find((a: { authenticatorId: string }) => a.authenticatorId === ids[i]);
    assert.equal(vote.publicKey, mine.credential.publicKey);
    assert.equal(vote.message, body);
    assert.equal(JSON.parse(vote.signature).credentialId, authenticators[i]!.id);
  }
});

test('bad parameters are named', async () => {
  const { userId } = instance.credentials;
  const good = new SoftAuthenticator().register();
  await refusesEach(instance.root, TYPE, [[{ userId, authenticators: Array(21).fill(good) }, 'parameters.authenticators', /20/]]);
});
