import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyActivity } from '../../../src/operator/record/verify-activity.ts';
import { ORIGIN, SoftAuthenticator } from '../../support/authenticator.ts';
import { type Answer, newKeys, post, resultOf, submitPath } from '../../support/client.ts';
import { type Instance, sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const [instance, closed, few] = await Promise.all([
  sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' }),
  sharedInstance(),
  sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1', LIMIT_SIGNUPS_OF_ADDRESS: '3', TRUSTED_PROXIES: '127.0.0.1' }),
]);
const { root } = instance;

const TYPE = 'CREATE_ORGANIZATION_V2';
const KEY = 'createOrganizationResult';
const PATH = submitPath(TYPE);

const about = (passkey: SoftAuthenticator, more: object = {}) => ({
  organizationName: 'Fresh',
  rootEmail: 'owner@example.com',
  rootAuthenticator: passkey.register(),
  ...more,
});

const sent = (body: string, passkey: SoftAuthenticator, at: Instance = instance): Promise<Answer> =>
  post(`${at.url}${PATH}`, body, passkey.stamp(body));

const bodyOf = (passkey: SoftAuthenticator, more: object = {}, options = {}) => root.bodyOf(TYPE, about(passkey, more), options);

function create(passkey: SoftAuthenticator, more: object = {}, options = {}): Promise<Answer> {
  return sent(bodyOf(passkey, more, options), passkey);
}

/** A stamped request of a root user to their organization. */
async function ask(path: string, body: object, passkey: SoftAuthenticator): Promise<Answer> {
  const text = JSON.stringify(body);
  return post(`${instance.url}/public/v1/${path}`, text, passkey.stamp(text));
}

const rowsOf = async (table: string, at = instance) => Number((await at.raw(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n);

for (const [type, key, entry] of [
  ['CREATE_ORGANIZATION', 'createOrganizationIntent', (passkey: SoftAuthenticator) => passkey.registerV1('whoever')],
  ['CREATE_ORGANIZATION_V2', 'createOrganizationIntentV2', (passkey: SoftAuthenticator) => passkey.register()],
] as const)
  test(`${type}: a new top-level organization with one root user, whose passkey stamped the request`, async () => {
    const passkey = new SoftAuthenticator();
    const parameters = { ...about(passkey), organizationName: type, rootAuthenticator: entry(passkey), rootUserId: NOBODY };
    const body = root.bodyOf(type, parameters, { organizationId: NOBODY });
    const answer = await sent(body, passkey);
    const { organizationId } = resultOf(answer, KEY);
    const { activity } = answer.body;
    assert.deepEqual([activity.type, activity.organizationId], [`ACTIVITY_TYPE_${type}`, organizationId]);
    assert.deepEqual(activity.intent, { [key]: parameters });
    assert.equal(activity.votes.length, 1);
    const who = (await ask('query/whoami', { organizationId }, passkey)).body;
    assert.deepEqual([who.organizationId, who.organizationName, who.username], [organizationId, type, 'Root user']);
    assert.equal(activity.votes[0].userId, who.userId);
    const [shown] = (await ask('query/list_activities', { organizationId }, passkey)).body.activities;
    assert.deepEqual(await verifyActivity({ activity: shown }), { problems: [], unchecked: [], stamps: 1 });
    const elsewhere = await verifyActivity({ activity: { ...shown, organizationId: NOBODY } });
    assert.deepEqual(elsewhere.problems, ['the organization is not that of the body']);
    assert.notEqual(who.userId, NOBODY);
    const { user } = (await ask('query/get_user', { organizationId, userId: who.userId }, passkey)).body;
    assert.deepEqual([user.userEmail, user.apiKeys, user.authenticators.length], ['owner@example.com', [], 1]);
    const { configs } = (await ask('query/get_organization_configs', { organizationId }, passkey)).body;
    assert.deepEqual(configs.quorum, { threshold: 1, userIds: [who.userId] });
    const on = ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'];
    assert.deepEqual(
      configs.features,
      on.map((name) => ({ name, value: '' })),
    );

    // It is an organization like any other: its root user does what root users do.
    const wallet = { type: 'ACTIVITY_TYPE_CREATE_WALLET', timestampMs: String(Date.now()), organizationId };
    const made = await ask('submit/create_wallet', { ...wallet, parameters: { walletName: 'First', accounts: [] } }, passkey);
    resultOf(made, 'createWalletResult');
    const below = { subOrganizationName: 'Below', rootQuorumThreshold: 1 };
    const user2 = { userName: 'u', authenticators: [new SoftAuthenticator().register()], apiKeys: [], oauthProviders: [] };
    const sub = { ...wallet, type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', parameters: { ...below, rootUsers: [user2] } };
    resultOf(await ask('submit/create_sub_organization', sub, passkey), 'createSubOrganizationResultV8');
    const stored = (await ask('query/get_activity', { organizationId, activityId: activity.id }, passkey)).body.activity;
    assert.deepEqual([stored.intent, stored.votes[0].message], [activity.intent, body]);
  });

test('the same body is the same organization, also at once, and whatever the body names as its organization', async () => {
  const before = await rowsOf('organizations');
  const passkey = new SoftAuthenticator();
  const body = bodyOf(passkey);
  const answers = await Promise.all(Array.from({ length: 4 }, () => sent(body, passkey)));
  const made = answers.map((answer) => resultOf(answer, KEY).organizationId);
  assert.equal(new Set(made).size, 1);
  assert.deepEqual((await sent(body, passkey)).body, answers[0]!.body);
  assert.equal(await rowsOf('organizations'), before + 1);
  const sub = await instance.newSubOrganization('Existing', 1, 1);
  for (const organizationId of [NOBODY, root.organizationId, sub.organizationId, made[0]]) {
    const another = resultOf(await create(passkey, {}, { organizationId }), KEY).organizationId;
    assert.ok(!made.includes(another));
    made.push(another);
  }
  assert.equal(await rowsOf('organizations'), before + 6);
});

test('the new organization and what was there before do not see each other', async () => {
  const passkey = new SoftAuthenticator();
  const { organizationId } = resultOf(await create(passkey), KEY);
  refused(await root.as(root.keys, organizationId).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /public key/]);
  const there = await ask('query/whoami', { organizationId: root.organizationId }, passkey);
  refused(there, [401, 'CREDENTIAL_NOT_FOUND', /credential ID/]);
});

test('the body of an organization that was deleted makes no other', async () => {
  const passkey = new SoftAuthenticator();
  const body = bodyOf(passkey);
  const { organizationId } = resultOf(await sent(body, passkey), KEY);
  const gone = { type: 'ACTIVITY_TYPE_DELETE_ORGANIZATION', timestampMs: String(Date.now()), organizationId };
  const deleted = await ask('submit/delete_organization', { ...gone, parameters: { organizationId } }, passkey);
  resultOf(deleted, 'deleteOrganizationResult');
  refused(await sent(body, passkey), [400, 'REQUEST_INVALID', /created an organization that was deleted/], 'timestampMs');
});

test('without ALLOW_CREATE_ORGANIZATION it is refused, before any passkey is looked at', async () => {
  const passkey = new SoftAuthenticator();
  const before = await rowsOf('activities', closed);
  const wanted: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /does not let callers create organizations/];
  const body = closed.root.bodyOf(TYPE, about(passkey));
  refused(await sent(body, passkey, closed), wanted);
  refused(await sent(body, new SoftAuthenticator(), closed), wanted);
  assert.equal(await rowsOf('organizations', closed), 1);
  assert.equal(await rowsOf('activities', closed), before);
});

test('a caller that cannot prove to have the passkey creates no organization', async () => {
  const passkey = new SoftAuthenticator();
  const body = bodyOf(passkey);
  const before = await rowsOf('activities');
  refused(await post(`${instance.url}${PATH}`, body), [401, 'SIGNATURE_MISSING', /without a stamp/]);
  refused(await root.send(PATH, body), [401, 'CREDENTIAL_NOT_FOUND', /must be stamped by the passkey/]);
  refused(await root.as(newKeys()).send(PATH, body), [401, 'CREDENTIAL_NOT_FOUND', /must be stamped by the passkey/]);
  const twin = new SoftAuthenticator('ES256', passkey.credentialId);
  for (const other of [new SoftAuthenticator(), twin])
    refused(await sent(body, other), [401, 'SIGNATURE_INVALID', /could not verify WebAuthN signature/]);
  const stale = bodyOf(passkey, {}, { timestampMs: '1' });
  refused(await sent(stale, passkey), [400, 'REQUEST_INVALID', /too old/]);
  assert.equal(await rowsOf('activities'), before);
});

test('bad parameters are named', async () => {
  const passkey = new SoftAuthenticator();
  const { attestation, ...rest } = passkey.register();
  const clientDataJson = Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge: 'x', origin: ORIGIN }));
  for (const [more, field, text, code = 'REQUEST_INVALID'] of [
    [{ organizationName: '' }, 'parameters.organizationName', /must not be empty/],
    [{ rootEmail: undefined }, 'parameters.rootEmail', /is required/],
    [{ rootEmail: '' }, 'parameters.rootEmail', /must be an email address/],
    [{ rootEmail: 'nobody' }, 'parameters.rootEmail', /invalid email address/, 'INVALID_EMAIL'],
    [{ rootUserId: 'x' }, 'parameters.rootUserId', /must be a UUID/],
    [{ rootAuthenticator: undefined }, 'parameters.rootAuthenticator', /is required/],
    [
      { rootAuthenticator: rest },
      'parameters.rootAuthenticator.attestation',
      /missing parameter: user authenticator attestation/,
    ],
    [
      { rootAuthenticator: { ...rest, attestation: { ...attestation, clientDataJson: clientDataJson.toString('base64url') } } },
      'parameters.rootAuthenticator.challenge',
      /for another challenge/,
    ],
    [
      { rootAuthenticator: passkey.register({ type: 'webauthn.get' }) },
      'parameters.rootAuthenticator.attestation.clientDataJson',
      /must be webauthn\.create/,
    ],
  ] as const)
    refused(await create(passkey, more), [400, code, text], field);
});

test('from one address come so many an hour, of whom each made one; what is refused leaves nothing', async () => {
  const from = async (address: string, passkey = new SoftAuthenticator(), body = bodyOf(passkey)) => ({
    answer: await post(`${few.url}${PATH}`, body, { ...passkey.stamp(body), 'x-forwarded-for': address }),
    again: () => from(address, passkey, body),
  });
  const first = await from('192.0.2.1');
  resultOf(first.answer, KEY);
  resultOf((await first.again()).answer, KEY);
  for (let i = 0; i < 2; i++) resultOf((await from('192.0.2.1')).answer, KEY);
  const before = await rowsOf('activities', few);
  const late = await from('192.0.2.1');
  refused(late.answer, [429, 'RATE_LIMIT_EXCEEDED', /^Too many requests\./]);
  const wait = Number(late.answer.headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 3600, `${wait}`);
  assert.equal(await rowsOf('activities', few), before);
  resultOf((await first.again()).answer, KEY);
  resultOf((await from('192.0.2.2')).answer, KEY);
  for (let i = 0; i < 3; i++) resultOf((await from(`2001:db8::${i}`)).answer, KEY);
  refused((await from('2001:db8:0:0:1::1')).answer, [429, 'RATE_LIMIT_EXCEEDED', /./]);
});
