import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { findConfig } from '../../src/auth-proxy/find-config.ts';
import { proxySubmit } from '../../src/auth-proxy/submit.ts';
import { PROXY_KINDS } from '../../src/model/auth-proxy.ts';
import { samples } from '../support/all-samples.ts';
import { enabledProxy, type TestProxy } from '../support/auth-proxy.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { apiKey, newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance, startInstance } from '../support/instance.ts';
import { newTarget } from '../support/published.ts';
import { refused } from '../support/refusals.ts';

const instance = await sharedInstance();
const { root, engine } = instance;
let proxy: TestProxy;

before(async () => {
  proxy = await enabledProxy(root);
});

const enabled = async () => (await findConfig(engine, proxy.configId))!;
const asProxy = async (type: string, parameters: object) => proxySubmit(engine, await enabled(), type, parameters);
const signUp = (name: string) => ({
  subOrganizationName: name,
  rootQuorumThreshold: 1,
  rootUsers: [userWith(name, [newKeys()])],
});
const METHODS = [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }];
const NOT_IT = /names the user of the auth proxy/;
const policy = (effect: string, condition: string, more: object = {}) => ({
  policyName: `${effect} ${condition}`,
  effect,
  condition,
  notes: '',
  ...more,
});

test('it may submit what logins and sign-ups are made of, whatever policies allow, and nothing else', async () => {
  const everything = policy('EFFECT_ALLOW', 'true', { consensus: `approvers.any(user, user.id == '${proxy.userId}')` });
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', everything), 'createPolicyResult');
  let tried = 0;
  for (const { kind, versions, admit } of activities) {
    if (PROXY_KINDS.includes(kind) || admit) continue;
    const parameters = samples(kind);
    if (typeof parameters !== 'object') continue;
    const type = [...versions.keys()].at(-1)!;
    await assert.rejects(
      asProxy(type, parameters as object),
      (error: Error & { code: string }) => {
        // Some are refused before the decision: by what their parameters are, or where they may run.
        const isDenied = error.code === 'REQUEST_NOT_AUTHORIZED';
        if (isDenied) tried++;
        return isDenied || ['REQUEST_INVALID', 'INVALID_ACTIVITY_CALLER', 'INVALID_EMAIL', 'NOT_FOUND'].includes(error.code);
      },
      kind,
    );
  }
  assert.ok(tried > 30, `${tried} were denied`);
  const { activities: done } = (
    await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_COMPLETED'], paginationOptions: { limit: '100' } })
  ).body;
  for (const { type, votes } of done) assert.ok(votes[0].userId !== proxy.userId, type);
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('it votes on nothing, and its approval is not asked for', async () => {
  const { client } = await instance.newUser('Asker');
  const both = policy('EFFECT_ALLOW', "activity.resource == 'USER_TAG' || activity.kind == 'CREATE_USER_TAG'", {
    consensus: 'approvers.count() > 1',
  });
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', both), 'createPolicyResult');
  const waiting = await client.submit('CREATE_USER_TAG', { userTagName: 'Waits', userIds: [] });
  assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  const { fingerprint } = waiting.body.activity;
  for (const type of ['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_TYPE_REJECT_ACTIVITY'])
    await assert.rejects(asProxy(type, { fingerprint }), { code: 'REQUEST_NOT_AUTHORIZED' });
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('a DENY that matches holds, by its kind or by its user; one that does not match changes nothing', async () => {
  const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8';
  for (const deny of [
    policy('EFFECT_DENY', "activity.resource == 'ORGANIZATION' && activity.action == 'CREATE'"),
    policy('EFFECT_DENY', 'true', { consensus: `approvers.any(user, user.id == '${proxy.userId}')` }),
  ]) {
    const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', deny), 'createPolicyResult');
    await assert.rejects(asProxy(type, signUp('Denied')), { code: 'REQUEST_NOT_AUTHORIZED' });
    const { activities: failed } = (
      await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'], paginationOptions: { limit: '1' } })
    ).body;
    assert.match(JSON.stringify(failed[0].failure), new RegExp(policyId), 'the organization sees which one');
    resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  }
  const other = policy('EFFECT_DENY', "activity.resource == 'WALLET'");
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', other), 'createPolicyResult');
  await asProxy(type, signUp('Allowed'));
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('it gets no other way in, is in no root quorum, and goes by DISABLE_AUTH_PROXY alone', async () => {
  const { userId } = proxy;
  const { userId: rootId } = instance.credentials;
  const { apiKeys } = (await root.query('get_user', { userId })).body.user;
  const contact = { userEmail: 'proxy@example.com' };
  for (const [type, parameters, field] of [
    ['CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }, 'parameters.userId'],
    ['CREATE_AUTHENTICATORS_V2', { userId, authenticators: [new SoftAuthenticator().register()] }, 'parameters.userId'],
    [
      'CREATE_OAUTH_PROVIDERS_V2',
      { userId, oauthProviders: [{ providerName: 'x', oidcClaims: { iss: 'i', sub: 's', aud: 'a' } }] },
      'parameters.userId',
    ],
    ['DELETE_API_KEYS', { userId, apiKeyIds: [apiKeys[0].apiKeyId] }, 'parameters.userId'],
    ['UPDATE_USER', { userId, ...contact }, 'parameters.userId'],
    ['UPDATE_USER_EMAIL', { userId, ...contact }, 'parameters.userId'],
    ['UPDATE_USER_PHONE_NUMBER', { userId, userPhoneNumber: '+14155550100' }, 'parameters.userId'],
    [
      'CREATE_MFA_POLICY',
      { userId, mfaPolicyName: 'm', condition: 'true', requiredAuthenticationMethods: METHODS, order: 0 },
      'parameters.userId',
    ],
    ['CREATE_READ_WRITE_SESSION_V2', { targetPublicKey: newTarget().publicKeyUncompressed, userId }, 'parameters.userId'],
    ['DELETE_USERS', { userIds: [userId] }, 'parameters.userIds'],
    ['UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [rootId, userId] }, 'parameters.userIds'],
  ] as const)
    refused(await root.submit(type, parameters), [400, 'REQUEST_INVALID', NOT_IT], field);
  const { user } = (await root.query('get_user', { userId })).body;
  assert.deepEqual(
    [user.apiKeys.length, user.authenticators.length, user.oauthProviders.length, user.userEmail],
    [1, 0, 0, undefined],
  );
  resultOf(await root.submit('UPDATE_USER_NAME', { userId, userName: 'Front door' }), 'updateUserNameResult');
});

test('its feature is switched by its own activities', async () => {
  const name = 'FEATURE_NAME_AUTH_PROXY';
  refused(
    await root.submit('SET_ORGANIZATION_FEATURE', { name, value: '' }),
    [400, 'REQUEST_INVALID', /ENABLE_AUTH_PROXY/],
    'parameters.name',
  );
  refused(
    await root.submit('REMOVE_ORGANIZATION_FEATURE', { name }),
    [400, 'REQUEST_INVALID', /DISABLE_AUTH_PROXY/],
    'parameters.name',
  );
});

test('an IP allow-list is for those who stamp: the proxy’s user is wherever its callers are', async () => {
  const here = { enabled: true, rules: [{ cidr: '127.0.0.0/20' }], onEvaluationError: 'DENY' };
  resultOf(await root.submit('SET_IP_ALLOWLIST', here), 'setIpAllowlistResult');
  await asProxy('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', signUp('From anywhere'));
  resultOf(await root.submit('REMOVE_IP_ALLOWLIST', {}), 'removeIpAllowlistResult');
});

test('a simulation says the same', async () => {
  const simulate = async (type: string, parameters: object) =>
    (await root.query('simulate_activity', { type, parameters, approverUserIds: [proxy.userId] })).body;
  const allowed = await simulate('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', signUp('Simulated'));
  assert.equal(allowed.outcome, 'OUTCOME_ALLOW', JSON.stringify(allowed));
  const denied = await simulate('ACTIVITY_TYPE_CREATE_USER_TAG', { userTagName: 'x', userIds: [] });
  assert.equal(denied.outcome, 'OUTCOME_DENY_EXPLICIT', JSON.stringify(denied));
  assert.match(denied.reason, /The user of the auth proxy may submit only INIT_OTP/);
});

test('a rate of users who stamp is not the proxy’s: nobody at the front door spends it', async (t) => {
  const limited = await startInstance({ RATE_USER: '1', RATE_ORGANIZATION: '2' });
  t.after(() => limited.close());
  const own = await enabledProxy(limited.root);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      own.ask('signup_v2', { apiKeys: [apiKey(newKeys())], authenticators: [], oauthProviders: [] }),
    ),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});
