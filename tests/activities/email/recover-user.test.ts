import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORIGIN, SoftAuthenticator } from '../../support/authenticator.ts';
import { type Client, newKeys, post, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, newPair } from '../support.ts';
import { type Customer, mailed, newCustomer, setFeature, whoIs } from './support.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
const { root } = instance;
const FEATURE = 'FEATURE_NAME_EMAIL_RECOVERY';
await setFeature(root, FEATURE, true);

const TYPE = 'RECOVER_USER';
const INIT = 'INIT_USER_EMAIL_RECOVERY_V2';
const KEY = 'recoverUserResult';
const GONE: [number, string, RegExp] = [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/];

/** A customer, and a client that stamps with a recovery key that came by mail. */
async function recovering(name: string): Promise<Customer & { recovery: Client }> {
  const customer = await newCustomer(instance, name);
  const { keys } = await mailed(mail, customer.parent, INIT, customer.email);
  return { ...customer, recovery: customer.own.as(keys) };
}

const bringing = (userId: string, passkey = new SoftAuthenticator(), more: object = {}) => ({
  userId,
  authenticator: passkey.register(more),
});

const passkeysOf = async ({ own, userId }: Customer): Promise<{ authenticatorId: string; credentialId: string }[]> =>
  (await own.query('get_authenticators', { userId })).body.authenticators;

test('RECOVER_USER adds a passkey, with which the user acts, and uses up every recovery key', async () => {
  const customer = await recovering('Lost a phone');
  const { keys: other } = await mailed(mail, customer.parent, INIT, customer.email);
  const passkey = new SoftAuthenticator();
  const parameters = bringing(customer.userId, passkey);
  const answer = await customer.recovery.submit(TYPE, parameters);
  const { authenticatorId, ...rest } = resultOf(answer, KEY);
  const [added] = await passkeysOf(customer);
  assert.deepEqual([authenticatorId, rest, added!.credentialId], [[added!.authenticatorId], {}, passkey.id]);
  assert.deepEqual(answer.body.activity.intent, { recoverUserIntent: parameters });
  const { organizationId } = customer;
  const body = customer.own.bodyOf('CREATE_WALLET', { walletName: 'Back again', accounts: [] });
  resultOf(await post(`${root.url}${submitPath('CREATE_WALLET')}`, body, passkey.stamp(body)), 'createWalletResult');
  const asked = JSON.stringify({ organizationId });
  const who = await post(`${root.url}/public/v1/query/whoami`, asked, passkey.stamp(asked));
  assert.equal(who.body.userId, customer.userId);

  refused(await customer.recovery.submit(TYPE, bringing(customer.userId)), GONE);
  refused(await customer.own.as(other).query('whoami'), GONE);
  assert.equal(await whoIs(customer.own), customer.userId, 'other keys stay');
  assert.equal((await passkeysOf(customer)).length, 1);
});

test('only a recovery key may submit it, and only for its own user', async () => {
  const customer = await recovering('Own user');
  const users = [{ ...userWith('Second', [newKeys()]), userTags: [] }];
  const [second] = resultOf(await customer.own.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const byKey: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /must be stamped by a recovery key/];
  refused(await customer.own.submit(TYPE, bringing(customer.userId)), byKey);
  for (const userId of [second, NOBODY])
    refused(await customer.recovery.submit(TYPE, bringing(userId)), [
      403,
      'REQUEST_NOT_AUTHORIZED',
      /^You don't have sufficient permissions/,
    ]);
  assert.deepEqual(await passkeysOf(customer), []);
  resultOf(await customer.recovery.submit(TYPE, bringing(customer.userId)), KEY);
});

test('no other root user is asked, and no policy is needed', async () => {
  const pair = await newPair(instance, 'Pair of recovery');
  const [first] = pair.clients;
  const emails = ['root@example.com', 'outsider@example.com'];
  for (const [i, userId] of [pair.userIds[0], pair.outsiderId].entries())
    resultOf(await agreed(pair, 'UPDATE_USER_EMAIL', { userId, userEmail: emails[i] }), 'updateUserEmailResult');
  for (const [i, userId] of [pair.userIds[0], pair.outsiderId].entries()) {
    const { keys } = await mailed(mail, pair.parent, INIT, emails[i]!);
    const passkey = new SoftAuthenticator();
    resultOf(await first.as(keys).submit(TYPE, bringing(userId, passkey)), KEY);
    const asked = JSON.stringify({ organizationId: pair.organizationId });
    const who = await post(`${root.url}/public/v1/query/whoami`, asked, passkey.stamp(asked));
    assert.equal(who.body.userId, userId);
  }
});

test('a policy of the organization can forbid it', async () => {
  const pair = await newPair(instance, 'Pair that forbids');
  const email = 'forbidden@example.com';
  const change = { userId: pair.outsiderId, userEmail: email };
  resultOf(await agreed(pair, 'UPDATE_USER_EMAIL', change), 'updateUserEmailResult');
  const { keys } = await mailed(mail, pair.parent, INIT, email);
  const policy = { policyName: 'no recovery', effect: 'EFFECT_DENY', condition: "activity.resource == 'RECOVERY'", notes: '' };
  resultOf(await agreed(pair, 'CREATE_POLICY_V3', policy), 'createPolicyResult');
  const denied: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /policies denied|sufficient permissions/];
  refused(await pair.clients[0].as(keys).submit(TYPE, bringing(pair.outsiderId)), denied);
});

test('of two uses of one key at once, one wins', async () => {
  const customer = await recovering('Raced');
  const answers = await Promise.all(Array.from({ length: 4 }, () => customer.recovery.submit(TYPE, bringing(customer.userId))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  assert.equal((await passkeysOf(customer)).length, 1);
});

test('once recovery is switched off, keys that were mailed are of no use', async () => {
  const customer = await recovering('Switched off');
  await setFeature(customer.own, FEATURE, false);
  const off: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /EMAIL_RECOVERY is off in the organization/];
  refused(await customer.recovery.submit(TYPE, bringing(customer.userId)), off);
  assert.deepEqual(await passkeysOf(customer), []);
});

test('once the user has another email, keys that were mailed to the one before are gone', async () => {
  for (const [i, [type, userEmail]] of (
    [
      ['UPDATE_USER_EMAIL', 'moved@example.com'],
      ['UPDATE_USER', 'moved-too@example.com'],
      ['UPDATE_USER_EMAIL', ''],
    ] as const
  ).entries()) {
    const customer = await recovering(`Moved ${i}`);
    const { userId } = customer;
    const same = await customer.own.submit(type, { userId, userEmail: userEmail && customer.email.toUpperCase() });
    if (userEmail !== '') assert.equal(await whoIs(customer.recovery), userId, same.text);
    assert.equal((await customer.own.submit(type, { userId, userEmail })).status, 200);
    refused(await customer.recovery.submit(TYPE, bringing(userId)), GONE);
    assert.equal(await whoIs(customer.own), userId, 'other keys stay');
  }
});

test('an expired key, and a user with as many passkeys as there may be', async () => {
  const customer = await recovering('Full');
  const authenticators = Array.from({ length: 10 }, () => new SoftAuthenticator().register());
  const made = await customer.own.submit('CREATE_AUTHENTICATORS_V2', { userId: customer.userId, authenticators });
  resultOf(made, 'createAuthenticatorsResult');
  const answer = await customer.recovery.submit(TYPE, bringing(customer.userId));
  refused(answer, [429, 'UNSPECIFIED', /user has exceeded maximum authenticators/]);
  assert.equal(await whoIs(customer.recovery), customer.userId, 'the key was not used');
  instance.clock.advance(900_000);
  const late = await customer.recovery.submit(TYPE, bringing(customer.userId));
  refused(late, [401, 'API_KEY_EXPIRED', /expired api key/]);
});

test('the passkey must be one of a page that the top-level organization allows', async () => {
  const customer = await recovering('Origins');
  const feature = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' };
  const set = (value: string) => root.submit('SET_ORGANIZATION_FEATURE', { ...feature, value });
  resultOf(await set('https://elsewhere.example'), 'setOrganizationFeatureResult');
  const wrong = await customer.recovery.submit(TYPE, bringing(customer.userId));
  const field = 'parameters.authenticator.attestation.clientDataJson';
  refused(wrong, [400, 'REQUEST_INVALID', /does not allow passkeys of its origin/], field);
  resultOf(await set(ORIGIN), 'setOrganizationFeatureResult');
  resultOf(await customer.recovery.submit(TYPE, bringing(customer.userId)), KEY);
  resultOf(await root.submit('REMOVE_ORGANIZATION_FEATURE', feature), 'removeOrganizationFeatureResult');
});

test('bad parameters are named', async () => {
  const customer = await recovering('Named');
  const { userId } = customer;
  const { attestation, ...authenticator } = new SoftAuthenticator().register();
  const known = new SoftAuthenticator();
  const made = await customer.own.submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators: [known.register()] });
  resultOf(made, 'createAuthenticatorsResult');
  await refusesEach(customer.recovery, TYPE, [
    [{ userId, authenticator }, 'parameters.authenticator.attestation', /missing parameter: user authenticator attestation/],
    [
      bringing(userId, new SoftAuthenticator(), { signedChallenge: 'AAAA' }),
      'parameters.authenticator.challenge',
      /another challenge/,
    ],
    [
      bringing(userId, known),
      'parameters.authenticator.attestation.credentialId',
      /already has a passkey with this credential id/,
    ],
    [
      { userId, authenticator: { ...authenticator, attestation: { ...attestation, attestationObject: 'AAAA' } } },
      'parameters.authenticator.attestation.attestationObject',
      /invalid authenticator attestation/,
    ],
  ]);
  assert.equal((await passkeysOf(customer)).length, 1);
});
