import assert from 'node:assert/strict';
import { createHash, verify } from 'node:crypto';
import { before, test } from 'node:test';
import { p256Convert } from '../../src/crypto/p256.ts';
import type { VerificationToken } from '../../src/model/token.ts';
import { HOUR, newToken } from '../activities/tokens.ts';
import { attested, attestedHeader, attestedStamp } from '../support/attested.ts';
import { type Answer, apiKey, type Client, type Keys, newKeys, post, resultOf, submitPath, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { newPolicy } from './authority.ts';

/** Stamps by keys that a verification token vouches for. */
const instance = await sharedInstance();
const parent = instance.root;

type Sub = { organizationId: string; root: Client; rootKeys: Keys; userIds: string[] };

/** A sub-organization of a root user with an API key, and of others who have contacts alone. */
async function subWith(contacts: readonly object[], threshold = 1): Promise<Sub> {
  const keys = newKeys();
  const others = contacts.map((more, i) => ({ ...userWith(`Contact ${i}`, []), ...more }));
  const rootUsers = [userWith('Keyed', [keys]), ...others];
  const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: threshold, rootUsers };
  const made = resultOf(await parent.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const root = parent.as(keys, made.subOrganizationId);
  return { organizationId: made.subOrganizationId, root, rootKeys: keys, userIds: made.rootUserIds };
}

let count = 0;
const newEmail = () => `user${++count}@example.com`;

/** A client by a new key and a token of the parent for the contact. */
function byToken(client: Client, contact: string, more: Partial<VerificationToken> = {}, keys = newKeys()) {
  const { jwt } = newToken(instance, contact, keys, more);
  return { ...attested(client, keys, { verificationToken: jwt }), jwt };
}

const TAG = 'CREATE_USER_TAG';
const tag = (userTagName: string) => ({ userTagName, userIds: [] });
const NOT_FOUND = [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key in organization or its parent organization/] as [
  number,
  string,
  RegExp,
];

let email: string;
let sub: Sub;
before(async () => {
  email = newEmail();
  sub = await subWith([{ userEmail: email, userPhoneNumber: '+14155550100' }]);
});

test('a client with a token for a contact asks and submits as its user, by email and by phone', async () => {
  for (const contact of [email, email.toUpperCase(), '+14155550100']) {
    const client = byToken(sub.root, contact);
    const whoami = await client.query('whoami');
    assert.equal(whoami.body.userId, sub.userIds[1], whoami.text);
    assert.equal((await client.submit(TAG, tag(`by ${contact}`))).body.activity?.status, 'ACTIVITY_STATUS_COMPLETED');
  }
});

test('both forms of the header are the same stamp', async () => {
  const keys = newKeys();
  const { jwt } = newToken(instance, email, keys);
  const body = JSON.stringify({ organizationId: sub.organizationId });
  for (const form of ['base64url', 'json'] as const) {
    const header = attestedHeader(attestedStamp(keys, { verificationToken: jwt }, body), form);
    const answer = await post(`${instance.url}/public/v1/query/whoami`, body, { 'x-stamp-attested': header });
    assert.equal(answer.body.userId, sub.userIds[1], answer.text);
  }
});

test('whoami that names the parent finds the sub-organization, an API key’s or an own user’s before it', async () => {
  const client = byToken(parent, email);
  const { organizationId, userId } = (await client.query('whoami')).body;
  assert.deepEqual([organizationId, userId], [sub.organizationId, sub.userIds[1]]);
  refused(await client.query('list_users'), NOT_FOUND);
  refused(await client.submit(TAG, tag('in the parent')), NOT_FOUND);
});

test('the record has the stamp with a digest in place of the token, and verifies without it', async () => {
  const client = byToken(sub.root, email);
  const done = await client.submit(TAG, tag('recorded'));
  const { activity } = done.body;
  const [vote] = (await sub.root.query('get_activity', { activityId: activity.id })).body.activity.votes;
  assert.equal(vote.scheme, 'SIGNATURE_SCHEME_TK_ATTESTED_P256');
  assert.equal(vote.publicKey, client.keys.publicKey);
  assert.equal(vote.userId, sub.userIds[1]);
  const record = JSON.parse(vote.signature);
  const digest = `sha256:${createHash('sha256').update(client.jwt).digest('hex')}`;
  assert.deepEqual(record, {
    publicKeyAttestation: digest,
    publicKey: client.keys.publicKey,
    scheme: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
    signature: record.signature,
  });
  const point = Buffer.from(p256Convert(Buffer.from(vote.publicKey, 'hex'), 'uncompressed')!);
  const key = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
  assert.ok(verify('sha256', Buffer.from(vote.message), { format: 'jwk', key }, Buffer.from(record.signature, 'hex')));
  assert.ok(!done.text.includes(client.jwt));
});

test('the same body is the same activity', async () => {
  const client = byToken(sub.root, email);
  const body = sub.root.bodyOf(TAG, tag('once'));
  const first = await client.send(submitPath(TAG), body);
  assert.deepEqual((await client.send(submitPath(TAG), body)).body, first.body);
  assert.equal((await sub.root.send(submitPath(TAG), body)).body.activity.id, first.body.activity.id);
});

test('faults of a stamp or of its token', async () => {
  const keys = newKeys();
  const other = newKeys();
  const body = JSON.stringify({ organizationId: sub.organizationId });
  const send = (stamp: object | string, over = body) =>
    post(`${instance.url}/public/v1/query/whoami`, over, {
      'x-stamp-attested': typeof stamp === 'string' ? stamp : attestedHeader(stamp),
    });
  const stampWith = (more: Partial<VerificationToken>, by = keys, bound: Keys | null = keys) =>
    attestedStamp(by, { verificationToken: newToken(instance, email, bound ?? undefined, more).jwt }, body);
  const good = stampWith({});
  const { publicKeyAttestation: jwt, ...rest } = good;
  const [head, payload, signature] = jwt!.split('.');
  const forged = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), exp: `9${'0'.repeat(13)}` }),
  );
  const cases: [object | string, RegExp][] = [
    [stampWith({}, other), /not bound to the key that made the stamp/],
    [stampWith({}, keys, null), /not bound to the key that made the stamp/],
    [stampWith({ expiresAt: instance.clock.now() - 1 }), /the token has expired/],
    [
      { ...rest, publicKeyAttestation: `${head}.${forged.toString('base64url')}.${signature}` },
      /not a verification token of this service/,
    ],
    [{ ...rest, publicKeyAttestation: 'text' }, /not a verification token of this service/],
    [
      { ...good, signature: attestedStamp(other, { verificationToken: jwt! }, body).signature },
      /could not verify api key signature/,
    ],
    [{ ...good, signature: 'zz' }, /could not verify api key signature/],
    [{ ...good, publicKey: `02${'ff'.repeat(32)}` }, /publicKey is no P-256 key/],
    [
      { ...good, scheme: 'SIGNATURE_SCHEME_TK_API_P256' },
      /its scheme must be one of STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN/,
    ],
    [rest, /must have publicKey, scheme, signature and publicKeyAttestation/],
    ['{', /does not decode to a JSON object/],
    ['%', /neither a JSON object nor base64url/],
    ['a'.repeat(12_289), /too long/],
  ];
  for (const [stamp, why] of cases) refused(await send(stamp), [401, 'SIGNATURE_INVALID', why]);
  refused(await send(good, `${body} `), [401, 'SIGNATURE_INVALID', /could not verify api key signature/]);
  assert.equal((await send(good)).status, 200);
});

test('a token counts in the organization that issued it and below, and nowhere else', async () => {
  const other = await subWith([{ userEmail: email }]);
  const own = { organizationId: other.organizationId };
  assert.equal((await byToken(other.root, email, own).query('whoami')).body.userId, other.userIds[1]);
  refused(await byToken(sub.root, email, own).query('whoami'), NOT_FOUND);
  refused(await byToken(parent, email, own).query('whoami'), NOT_FOUND);
  refused(await byToken(sub.root, newEmail()).query('whoami'), NOT_FOUND);
  // Two sub-organizations have the contact now, and none has verified it.
  const conflict = [401, 'CREDENTIAL_CONFLICT', /more than one suborg associated with an email address/] as [
    number,
    string,
    RegExp,
  ];
  refused(await byToken(parent, email).query('whoami'), conflict);
  resultOf(
    await parent
      .as(other.rootKeys, other.organizationId)
      .submit('UPDATE_USER_EMAIL', { userId: other.userIds[1], userEmail: newEmail() }),
    'updateUserEmailResult',
  );
  assert.equal((await byToken(parent, email).query('whoami')).body.organizationId, sub.organizationId);
});

test('a verified contact comes first, in an organization and among several', async () => {
  const shared = newEmail();
  const [one, two] = [await subWith([{ userEmail: shared }, { userEmail: shared }]), await subWith([{ userEmail: shared }])];
  refused(await byToken(one.root, shared).query('whoami'), [
    401,
    'CREDENTIAL_CONFLICT',
    /more than one user of the organization/,
  ]);
  const token = newToken(instance, shared, newKeys()).jwt;
  const verified = { userId: one.userIds[2], userEmail: shared, verificationToken: token };
  resultOf(await one.root.submit('UPDATE_USER_EMAIL', verified), 'updateUserEmailResult');
  assert.equal((await byToken(one.root, shared).query('whoami')).body.userId, one.userIds[2]);
  assert.equal((await byToken(parent, shared).query('whoami')).body.userId, one.userIds[2]);
  assert.equal((await byToken(two.root, shared).query('whoami')).body.userId, two.userIds[1]);
});

test('a disabled login method admits no user', async () => {
  const mine = newEmail();
  const { root, organizationId } = await subWith([{ userEmail: mine, userPhoneNumber: '+14155550111' }]);
  for (const [name, contact] of [
    ['FEATURE_NAME_OTP_EMAIL_AUTH', mine],
    ['FEATURE_NAME_SMS_AUTH', '+14155550111'],
  ] as const) {
    const client = byToken(root, contact);
    assert.equal((await client.query('whoami')).status, 200);
    resultOf(await root.submit('REMOVE_ORGANIZATION_FEATURE', { name }), 'removeOrganizationFeatureResult');
    refused(await client.query('whoami'), [
      403,
      'REQUEST_NOT_AUTHORIZED',
      new RegExp(`${name} is off in the organization ${organizationId}`),
    ]);
  }
});

test('the right ends with the contact and with the token', async () => {
  const mine = newEmail();
  const { root, userIds } = await subWith([{ userEmail: mine }]);
  const client = byToken(root, mine);
  const change = (userEmail: string) => root.submit('UPDATE_USER_EMAIL', { userId: userIds[1], userEmail });
  resultOf(await client.submit(TAG, tag('before')), 'createUserTagResult');
  resultOf(await change(newEmail()), 'updateUserEmailResult');
  refused(await client.submit(TAG, tag('after')), NOT_FOUND);
  refused(await client.query('whoami'), NOT_FOUND);
  resultOf(await change(mine), 'updateUserEmailResult');
  resultOf(await client.submit(TAG, tag('again')), 'createUserTagResult');
  instance.clock.advance(HOUR);
  refused(await client.submit(TAG, tag('late')), [401, 'SIGNATURE_INVALID', /the token has expired/]);
});

test('a vote counts while its user has the contact', async () => {
  const [mine, theirs] = [newEmail(), newEmail()];
  const { root, userIds } = await subWith([{ userEmail: mine }, { userEmail: theirs }]);
  const consensus = `approvers.any(user, user.id == '${userIds[0]}')`;
  await newPolicy(root, { condition: "activity.kind == 'UPDATE_USER_EMAIL'", consensus });
  resultOf(await root.submit('UPDATE_ROOT_QUORUM', { threshold: 3, userIds }), 'updateRootQuorumResult');
  const change = async (userEmail: string) =>
    resultOf(await root.submit('UPDATE_USER_EMAIL', { userId: userIds[2], userEmail }), 'updateUserEmailResult');
  const body = root.bodyOf(TAG, tag('three'));
  const [second, third] = [byToken(root, mine), byToken(root, theirs)];
  const statusOf = ({ body: { activity } }: Answer) => activity?.status;
  assert.equal(statusOf(await second.send(submitPath(TAG), body)), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const waiting = await third.send(submitPath(TAG), body);
  assert.equal(waiting.body.activity.votes.length, 2, waiting.text);
  const { id: activityId, fingerprint } = waiting.body.activity;
  await change(newEmail());
  assert.equal(statusOf(await root.send(submitPath(TAG), body)), 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  await change(theirs);
  assert.equal(statusOf(await second.submit('APPROVE_ACTIVITY', { fingerprint })), 'ACTIVITY_STATUS_COMPLETED');
  const shown = await root.query('get_activity', { activityId });
  assert.deepEqual(
    shown.body.activity.votes.map(({ userId }: { userId: string }) => userId),
    [userIds[1], userIds[2], userIds[0]],
  );
});

test('policies see the type of the credential and its key, then and in a replay', async () => {
  const mine = newEmail();
  const { root } = await subWith([]);
  const users = [{ userName: 'Member', userEmail: mine, apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }];
  resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const member = byToken(root, mine);
  const denied = [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/] as [number, string, RegExp];
  refused(await member.submit(TAG, tag('no policy')), denied);
  const seen = `credentials.any(c, c.type == 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256' && c.public_key == '${member.keys.publicKey}')`;
  await newPolicy(root, { condition: "activity.kind == 'CREATE_USER_TAG'", consensus: seen });
  const done = await member.submit(TAG, tag('by policy'));
  const activityId = done.body.activity.id;
  resultOf(done, 'createUserTagResult');
  refused(await byToken(root, mine).submit(TAG, tag('another key')), denied);
  const draft = { effect: 'EFFECT_DENY', condition: "activity.kind == 'CREATE_USER_TAG'", consensus: seen };
  const replayed = await root.query('replay_policy', draft);
  assert.ok(replayed.text.includes(activityId), replayed.text);
  const evaluations = await root.query('get_policy_evaluations', { activityId });
  assert.equal(evaluations.body.policyEvaluations[0].policyEvaluations[0].outcome, 'OUTCOME_ALLOW', evaluations.text);
});

test('users manage their own credentials with it, as with any other', async () => {
  const mine = newEmail();
  const { root } = await subWith([]);
  const users = [{ userName: 'Member', userEmail: mine, apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }];
  const [userId] = resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const keys = newKeys();
  const added = await byToken(root, mine).submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys)] });
  resultOf(added, 'createApiKeysResult');
  assert.equal((await root.as(keys).query('whoami')).body.userId, userId);
});
