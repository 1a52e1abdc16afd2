import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PROFILE } from '../../../src/model/mfa-policy.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';
import { refusedToNobody } from '../support.ts';
import { newPolicy, newUser, policiesOf, policyFor } from './support.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });

const TYPE = 'CREATE_MFA_POLICY';
const KEY = 'createMfaPolicyResult';
const methods = (...any: object[]) => ({ requiredAuthenticationMethods: [{ any }] });
const of = (type: string, id?: string) => ({ type: `AUTHENTICATION_TYPE_${type}`, ...(id === undefined ? {} : { id }) });

test('a policy is as it was given, and is shown with its user wherever the user is', async () => {
  const { userId, apiKeyId } = await newUser(instance.root, 'With a policy');
  const given = policyFor(userId, {
    requiredAuthenticationMethods: [{ any: [of('API_KEY', apiKeyId), of('PASSKEY')] }, { any: [of('EMAIL_OTP')] }],
  }) as Record<string, unknown>;
  const { mfaPolicyId } = resultOf(await instance.root.submit(TYPE, given), KEY);
  const [{ createdAt, updatedAt, ...shown }] = await policiesOf(instance.root, userId);
  const { userId: _, ...own } = given;
  assert.deepEqual(shown, { mfaPolicyId, ...own });
  assert.deepEqual(updatedAt, createdAt);
  const policies = [{ ...shown, createdAt, updatedAt }];
  const { user } = (await instance.root.query('get_user', { userId })).body;
  assert.deepEqual(user.mfaPolicies, policies);
  const { users } = (await instance.root.query('list_users')).body;
  const listed = users.find((one: { userId: string }) => one.userId === userId);
  assert.deepEqual(listed.mfaPolicies, policies);
  assert.ok(users.some((one: { mfaPolicies: unknown[] }) => one.mfaPolicies.length === 0));
});

test('what may be left out', async () => {
  const { userId } = await newUser(instance.root, 'With the least');
  await newPolicy(instance.root, userId, { notes: undefined, order: 0 });
  const [policy] = await policiesOf(instance.root, userId);
  assert.equal('notes' in policy, false);
  assert.equal(policy.order, 0);
});

test('a vote shows what policies its user had then', async () => {
  const { userId, client } = await newUser(instance.root, 'Voter');
  const submitted = await client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey });
  assert.equal(submitted.status, 403, submitted.text);
  await newPolicy(instance.root, userId);
  const { activities } = (await instance.root.query('list_activities', { filterByType: ['ACTIVITY_TYPE_STAMP_LOGIN'] })).body;
  assert.deepEqual(activities[0].votes[0].user.mfaPolicies, []);
});

test('a method may name what its user has, and nothing else', async () => {
  const [one, other] = [await newUser(instance.root, 'One'), await newUser(instance.root, 'Other')];
  const passkey = new SoftAuthenticator();
  const added = await instance.root.submit('CREATE_AUTHENTICATORS_V2', {
    userId: one.userId,
    authenticators: [passkey.register()],
  });
  const [passkeyId] = resultOf(added, 'createAuthenticatorsResult').authenticatorIds;
  const profile = { sessionProfileName: 'Profile', scope: 'true' };
  const { sessionProfileId } = resultOf(
    await instance.root.submit('CREATE_SESSION_PROFILE', profile),
    'createSessionProfileResult',
  );
  const all = methods(
    of('PASSKEY', passkeyId),
    of('API_KEY', one.apiKeyId),
    of('SESSION', sessionProfileId),
    of('SESSION', NO_PROFILE),
  );
  await newPolicy(instance.root, one.userId, all);
  const at = 'parameters.requiredAuthenticationMethods[0].any[1].id';
  const second = (type: string, id: string) => policyFor(one.userId, methods(of('PASSKEY'), of(type, id)));
  await refusesEach(instance.root, TYPE, [
    [second('API_KEY', other.apiKeyId), at, /must be one of the API keys of user/],
    [second('API_KEY', passkeyId), at, /must be one of the API keys/],
    [second('PASSKEY', one.apiKeyId), at, /must be one of the passkeys/],
    [second('PASSKEY', NO_PROFILE), at, /must be one of the passkeys/],
    [second('OAUTH', one.apiKeyId), at, /must be one of the OAuth providers/],
    [second('SESSION', one.apiKeyId), at, /must be a session profile of the organization or of its parent/],
    [second('EMAIL_OTP', one.apiKeyId), at, /must be left out/],
    [second('SMS_OTP', NO_PROFILE), at, /must be left out/],
  ]);
  const below = await instance.newSubOrganization('Below with a profile', 1, 1);
  await newPolicy(below.clients[0]!, below.userIds[0]!, { ...methods(of('SESSION', sessionProfileId)), condition: 'false' });
});

test('in a top-level organization no step is by OAuth alone: nobody could ever meet it', async () => {
  const { userId } = await newUser(instance.root, 'On top');
  const only = policyFor(userId, { requiredAuthenticationMethods: [{ any: [of('API_KEY')] }, { any: [of('OAUTH')] }] });
  const at = 'parameters.requiredAuthenticationMethods[1].any';
  await refusesEach(instance.root, TYPE, [[only, at, /users of a top-level organization cannot stamp with an OAuth provider/]]);
  await newPolicy(instance.root, userId, methods(of('PASSKEY'), of('OAUTH')));
  const below = await instance.newSubOrganization('Below by OAuth', 1, 1);
  await newPolicy(below.clients[0]!, below.userIds[0]!, { ...methods(of('OAUTH')), condition: 'false' });
});

test('a key that a login made is no API key', async () => {
  const { client, userId } = await newTopLevel(instance, 'Sessions');
  resultOf(await client.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey }), 'stampLoginResult');
  const { apiKeys } = (await client.query('get_api_keys', { userId })).body;
  const session = apiKeys.find((key: { credential: { type: string } }) => key.credential.type === 'CREDENTIAL_TYPE_LOGIN');
  refused(
    await client.submit(TYPE, policyFor(userId, methods(of('API_KEY', session.apiKeyId)))),
    [400, 'REQUEST_INVALID', /must be one of the API keys/],
    'parameters.requiredAuthenticationMethods[0].any[0].id',
  );
});

test('whose user is not there, or of another organization', async () => {
  const { userId } = await newTopLevel(instance, 'Elsewhere');
  for (const id of [NOBODY, userId])
    refused(await instance.root.submit(TYPE, policyFor(id)), [404, 'UNSPECIFIED', /user not found: parameters\.userId names/]);
});

test('a user has so many', async () => {
  const { userId } = await newUser(instance.root, 'With many');
  for (let order = 0; order < 10; order++) await newPolicy(instance.root, userId, { order });
  const over = await instance.root.submit(TYPE, policyFor(userId));
  refused(over, [429, 'UNSPECIFIED', /user has exceeded maximum MFA policies: at most 10 \(LIMIT_MFA_POLICIES\)/]);
  const [{ mfaPolicyId }] = await policiesOf(instance.root, userId);
  resultOf(await instance.root.submit('DELETE_MFA_POLICY', { userId, mfaPolicyId }), 'deleteMfaPolicyResult');
  await newPolicy(instance.root, userId);
});

test('a user without permission is refused, also for themselves, and a policy permits', async () => {
  await refusedToNobody(instance, TYPE, policyFor(NOBODY));
  const { client, userId } = await newUser(instance.root, 'Careful');
  refused(await client.submit(TYPE, policyFor(userId)), [403, 'REQUEST_NOT_AUTHORIZED', /./]);
  const condition = "activity.resource == 'MFA_POLICY' && activity.action == 'CREATE'";
  const policy = { policyName: 'mfa', effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  await newPolicy(client, userId);
});

test('bad parameters are named', async () => {
  const { userId } = await newUser(instance.root, 'Bad parameters');
  const sample = policyFor(userId);
  const steps = (requiredAuthenticationMethods: unknown) => ({ ...sample, requiredAuthenticationMethods });
  const field = 'parameters.requiredAuthenticationMethods';
  await refusesEach(instance.root, TYPE, [
    [{ ...sample, condition: ' ' }, 'parameters.condition', /must not be blank/],
    [{ ...sample, condition: 'activity.kind ==' }, 'parameters.condition', /^invalid condition: .*line 1, column 17/],
    [{ ...sample, condition: 'approvers.count() > 1' }, 'parameters.condition', /^invalid condition: .*approvers/],
    [{ ...sample, condition: 'credentials.count() > 1' }, 'parameters.condition', /^invalid condition: .*credentials/],
    [{ ...sample, condition: 'time.now > 1' }, 'parameters.condition', /^invalid condition: .*time/],
    [steps([{ any: [{}] }]), `${field}[0].any[0].type`, /invalid type/],
    [steps([{ any: [{ type: 'AUTHENTICATION_TYPE_PASKEY' }] }]), `${field}[0].any[0].type`, /did you mean .*_PASSKEY/],
    [{ ...sample, order: 0.5 }, 'parameters.order', /./],
    [{ ...sample, order: '1' }, 'parameters.order', /./],
    [{ ...sample, order: 2 ** 53 }, 'parameters.order', /./],
  ]);
  assert.deepEqual(await policiesOf(instance.root, userId), []);
});

test('the user of the auth proxy has none: nobody stamps for it', async () => {
  const { client } = await newTopLevel(instance, 'With a proxy');
  const { userId } = resultOf(await client.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  refused(
    await client.submit(TYPE, policyFor(userId)),
    [400, 'REQUEST_INVALID', /names the user of the auth proxy/],
    'parameters.userId',
  );
});
