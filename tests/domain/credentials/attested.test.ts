import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { signWithApiKey } from '@turnkey/api-key-stamper';
import { household, tokenFor } from '../../activities/otp/support.ts';
import { apiKeysOf, claimsOf } from '../../activities/sessions/support.ts';
import { marksOf, newToken } from '../../activities/tokens.ts';
import { attested } from '../../support/attested.ts';
import { type Client, type Keys, newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { nonceOf } from '../../support/published.ts';
import { refused } from '../../support/refusals.ts';

/** Logins with a code or an ID token, as the published client does them: STAMP_LOGIN, stamped by a key that the token vouches for. */
const mail = await sharedMail();
const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance({ ...mail.env, ...env });
const { root, url } = instance;

const TYPE = 'STAMP_LOGIN';
const KEY = 'stampLoginResult';

type Login = { stampLogin(parameters: object, by: string): Promise<{ session: string }> };
type Stamper = { configure(by: { attestedIdentity: string; publicKey: string; scheme: string }): void };

const require = createRequire(import.meta.url);
const { AttestedStamper, AttestedScheme } = require('@turnkey/core/dist/__stampers__/attested/base.js');
const { TurnkeySDKClientBase } = require('@turnkey/core/dist/__generated__/sdk-client-base.js');

/** Logs in as `loginWithOtp` and `loginWithOauth` of the published client do. They name the parent, unless they are told where. */
async function published(keys: Keys, scheme: 'P256_OIDC' | 'P256_VERIFICATION_TOKEN', token: string, more: object = {}) {
  const sign = (content: string) => signWithApiKey({ content, ...keys });
  const stamper = new AttestedStamper({ sign }) as Stamper;
  stamper.configure({ attestedIdentity: token, publicKey: keys.publicKey, scheme: AttestedScheme[scheme] });
  const config = { apiBaseUrl: url, organizationId: root.organizationId, attestedStamper: stamper };
  const client = new TurnkeySDKClientBase(config) as Login;
  const { session } = await client.stampLogin({ publicKey: keys.publicKey, ...more }, 'attested');
  return claimsOf(url, session);
}

async function actsAs(client: Client, userId: string): Promise<void> {
  assert.equal((await client.query('whoami')).body.userId, userId);
  resultOf(await client.submit('CREATE_USER_TAG', { userTagName: client.keys.publicKey, userIds: [] }), 'createUserTagResult');
}

let count = 0;
const newEmail = () => `login${++count}@example.com`;

test('a code that came by mail: the published client logs in, finds the sub-organization, and stamps with the session', async () => {
  const email = newEmail();
  const { organizationId, userId, own } = await household(instance, { userEmail: email });
  assert.equal((await marksOf(instance, userId)).email, false);
  const keys = newKeys();
  const token = await tokenFor(root, mail, email, keys);
  const { exp: _, ...claims } = await published(keys, 'P256_VERIFICATION_TOKEN', token);
  assert.deepEqual(claims, {
    public_key: keys.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: userId,
    organization_id: organizationId,
  });
  await actsAs(own.as(keys), userId);
  assert.equal((await marksOf(instance, userId)).email, true);
  // The same token logs in until it expires, also where the sub-organization is named, and for another key.
  await published(keys, 'P256_VERIFICATION_TOKEN', token, { organizationId });
  const other = newKeys();
  await published(keys, 'P256_VERIFICATION_TOKEN', token, { publicKey: other.publicKey, invalidateExisting: true });
  await actsAs(own.as(other), userId);
  refused(await own.as(keys).query('whoami'), [401, 'PUBLIC_KEY_NOT_FOUND', /could not find public key/]);
  const sessions = (await apiKeysOf(own, userId)).filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN');
  assert.equal(sessions.length, 1);
});

test('a phone number', async () => {
  const { userId, own } = await household(instance, { userPhoneNumber: '+14155550155' });
  const keys = newKeys();
  await published(keys, 'P256_VERIFICATION_TOKEN', newToken(instance, '+14155550155', keys).jwt);
  await actsAs(own.as(keys), userId);
  assert.deepEqual(await marksOf(instance, userId), { access: 'ACCESS_TYPE_ALL', email: false, phone: true });
});

test('a sign-up and the login right after it use one token', async () => {
  const email = newEmail();
  const keys = newKeys();
  const { jwt } = newToken(instance, email, keys);
  const { organizationId, userId, own } = await household(instance, { userEmail: email });
  const claims = await published(keys, 'P256_VERIFICATION_TOKEN', jwt);
  assert.deepEqual([claims.organization_id, claims.user_id], [organizationId, userId]);
  await actsAs(own.as(keys), userId);
});

test('an account of a real issuer', async () => {
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: await issuer.signIn('alice') }];
  const { organizationId, userId, own } = await household(instance, { oauthProviders });
  const keys = newKeys();
  const token = await issuer.signIn('alice', { nonce: nonceOf(keys.publicKey) });
  const claims = await published(keys, 'P256_OIDC', token);
  assert.deepEqual([claims.organization_id, claims.user_id], [organizationId, userId]);
  await actsAs(own.as(keys), userId);
  await published(keys, 'P256_OIDC', token, { organizationId });
  assert.deepEqual(await marksOf(instance, userId), { access: 'ACCESS_TYPE_ALL', email: false, phone: false });
});

test('if no user has the contact or the account, the answer is that of an unknown key', async () => {
  const keys = newKeys();
  const text = 'could not find public key in organization or its parent organization';
  const tokens = [
    ['P256_VERIFICATION_TOKEN', newToken(instance, newEmail(), keys).jwt],
    ['P256_OIDC', await issuer.signIn('nobody', { nonce: nonceOf(keys.publicKey) })],
  ] as const;
  for (const [scheme, token] of tokens) await assert.rejects(published(keys, scheme, token), new RegExp(`16: ${text}|${text}`));
});

test('an address that Google vouches for is marked, and only if it is the user’s', async () => {
  const { verify } = instance.engine.attestations;
  for (const [vouched, marked] of [
    ['OWN', true],
    ['other@example.com', false],
  ] as const) {
    const email = newEmail();
    const sub = `google ${email}`;
    const oauthProviders = [{ providerName: 'Google', oidcToken: issuer.signNow({ sub }) }];
    const { userId } = await household(instance, { userEmail: email, oauthProviders });
    const keys = newKeys();
    // Tests cannot sign as Google: the verification of its tokens is replaced, and nothing else.
    instance.engine.attestations.verify = async (stamp, question) => ({
      ...(await verify(stamp, question)),
      verifiedEmail: vouched === 'OWN' ? email.toUpperCase() : vouched,
    });
    try {
      await published(keys, 'P256_OIDC', issuer.signNow({ sub, nonce: nonceOf(keys.publicKey) }));
    } finally {
      instance.engine.attestations.verify = verify;
    }
    assert.equal((await marksOf(instance, userId)).email, marked);
  }
});

test('waits for others, and then marks the contact if it is still the user’s', async () => {
  for (const isStill of [true, false]) {
    const email = newEmail();
    const own = newKeys();
    const rootUsers = [userWith('Keyed', [own]), userWith('Mail', [], { userEmail: email })];
    const sub = { subOrganizationName: 'Both', rootQuorumThreshold: 1, rootUsers };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sub), 'createSubOrganizationResultV8');
    const keyed = root.as(own, made.subOrganizationId);
    const [keyedId, userId] = made.rootUserIds;
    const changes = { effect: 'EFFECT_ALLOW', condition: "activity.kind == 'UPDATE_USER_EMAIL'", notes: '' };
    const consensus = `approvers.any(user, user.id == '${keyedId}')`;
    resultOf(await keyed.submit('CREATE_POLICY_V3', { policyName: 'changes', consensus, ...changes }), 'createPolicyResult');
    resultOf(await keyed.submit('UPDATE_ROOT_QUORUM', { threshold: 2, userIds: made.rootUserIds }), 'updateRootQuorumResult');
    const keys = newKeys();
    const client = attested(keyed, keys, { verificationToken: newToken(instance, email, keys).jwt });
    const body = keyed.bodyOf(TYPE, { publicKey: keys.publicKey });
    const waiting = await client.send(submitPath(TYPE), body);
    assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
    assert.equal((await marksOf(instance, userId)).email, false);
    if (!isStill) {
      resultOf(await keyed.submit('UPDATE_USER_EMAIL', { userId, userEmail: newEmail() }), 'updateUserEmailResult');
      const answer = await keyed.send(submitPath(TYPE), body);
      assert.equal(
        answer.body.activity?.status,
        'ACTIVITY_STATUS_CONSENSUS_NEEDED',
        'the vote of the old contact does not count',
      );
      continue;
    }
    resultOf(await keyed.send(submitPath(TYPE), body), KEY);
    assert.equal((await marksOf(instance, userId)).email, true);
    assert.equal((await keyed.as(keys).query('whoami')).body.userId, userId);
  }
});

test('a read-only session by it ends with the contact, or the provider', async () => {
  const email = newEmail();
  const sub = `reader ${email}`;
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub }) }];
  const { userId, own } = await household(instance, { userEmail: email, oauthProviders });
  const asked = { ...root, organizationId: root.organizationId };
  const [byCode, byIssuer] = [newKeys(), newKeys()];
  const sessions: string[] = [];
  for (const client of [
    attested(asked, byCode, { verificationToken: newToken(instance, email, byCode).jwt }),
    attested(asked, byIssuer, { oidcToken: issuer.signNow({ sub, nonce: nonceOf(byIssuer.publicKey) }) }),
  ]) {
    const made = resultOf(await client.submit('CREATE_READ_ONLY_SESSION', {}), 'createReadOnlySessionResult');
    assert.deepEqual([made.organizationId, made.userId], [own.organizationId, userId]);
    sessions.push(made.session);
  }
  const body = JSON.stringify({ organizationId: own.organizationId });
  const statuses = async () =>
    Promise.all(
      sessions.map(async (session) => {
        const answer = await fetch(`${url}/public/v1/query/whoami`, { method: 'POST', body, headers: { 'x-session': session } });
        await answer.text();
        return answer.status;
      }),
    );
  assert.deepEqual(await statuses(), [200, 200]);
  resultOf(await own.submit('UPDATE_USER_EMAIL', { userId, userEmail: newEmail() }), 'updateUserEmailResult');
  assert.deepEqual(await statuses(), [401, 200]);
  const [provider] = (await own.query('get_oauth_providers', { userId })).body.oauthProviders;
  const gone = { userId, providerIds: [provider.providerId] };
  resultOf(await own.submit('DELETE_OAUTH_PROVIDERS', gone), 'deleteOauthProvidersResult');
  assert.deepEqual(await statuses(), [401, 401]);
});
