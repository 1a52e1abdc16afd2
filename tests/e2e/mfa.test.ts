import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PROFILE } from '../../src/model/mfa-policy.ts';
import { attested } from '../support/attested.ts';
import { apiKey, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedIssuer } from '../support/oidc.ts';
import { nonceOf } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { newPolicy } from './authority.ts';
import { approve, done, method, newMember, newMfa, newPlace, open, type Person, reject, steps, TAG, tag } from './mfa-support.ts';

/** The users who must stamp with further credentials before their activity runs. */
const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const DAY = 24 * 60 * 60 * 1000;

const ONLY_TAGS = { condition: `activity.kind == '${TAG}'` };

async function personWith(required: (person: Person) => object[], more: object = ONLY_TAGS): Promise<Person> {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  await newMfa(person.byKey, person, required(person), more);
  return person;
}

test('a root user’s activity waits for the other credential, and then it runs, once', async () => {
  const person = await personWith(() => steps([method('API_KEY')], [method('PASSKEY')]));
  const waiting = await person.byKey.submit(TAG, tag());
  const activity = open(waiting);
  assert.deepEqual(waiting.body.activity.result.activity.result, {}, 'there is no result yet');
  assert.equal(waiting.body.activity.votes.length, 1);
  assert.deepEqual([waiting.body.activity.canApprove, waiting.body.activity.canReject], [true, true]);
  const approved = await approve(person.byPasskey, activity);
  done(approved);
  assert.equal(approved.body.activity.id, activity.id);
  assert.equal(approved.body.activity.votes.length, 1, 'a further stamp is no second vote');
  assert.equal((await person.byKey.query('list_user_tags')).body.userTags.length, 1);
  refused(await approve(person.byPasskey, activity), [403, 'REQUEST_NOT_AUTHORIZED', /has ended and accepts no more votes/]);
});

test('the submission’s own stamp satisfies the step that it matches, whichever comes first', async () => {
  const person = await personWith(() => steps([method('API_KEY')], [method('PASSKEY')]));
  done(await approve(person.byKey, open(await person.byPasskey.submit(TAG, tag()))));
  const one = await personWith(() => steps([method('PASSKEY')]));
  done(await one.byPasskey.submit(TAG, tag()));
  done(await approve(one.byPasskey, open(await one.byKey.submit(TAG, tag()))));
});

test('steps in any order, and one method of a step is enough', async () => {
  const required = () => steps([method('PASSKEY'), method('EMAIL_OTP')], [method('SMS_OTP')], [method('API_KEY')]);
  const person = await personWith(required);
  const one = open(await person.byKey.submit(TAG, tag()));
  open(await approve(person.bySms(), one));
  done(await approve(person.byEmail(), one));
  const two = open(await person.byKey.submit(TAG, tag()));
  open(await approve(person.byPasskey, two));
  done(await approve(person.bySms(), two));
});

test('of several policies the first that matches applies alone: by order, then by creation', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  await newMfa(person.byKey, person, steps([method('EMAIL_OTP')]), { ...ONLY_TAGS, order: 2 });
  done(await approve(person.byEmail(), open(await person.byKey.submit(TAG, tag()))));
  const first = newMfa(person.byKey, person, steps([method('PASSKEY')]), { ...ONLY_TAGS, order: 1 });
  await newMfa(person.byKey, person, steps([method('SMS_OTP')]), { ...ONLY_TAGS, order: await first.then(() => 1) });
  await newMfa(person.byKey, person, steps([method('SMS_OTP')]), { condition: "activity.action == 'EXPORT'", order: 0 });
  const waiting = open(await person.byKey.submit(TAG, tag()));
  open(await approve(person.byEmail(), waiting));
  open(await approve(person.bySms(), waiting));
  done(await approve(person.byPasskey, waiting));
});

test('a parameter that the kind does not have matches nothing, and a later condition that is always true does', async () => {
  const { people, organizationId } = await newPlace(instance, 1);
  const person = people[0]!;
  const profile = { sessionProfileName: organizationId, scope: 'true' };
  const made = await instance.root.submit('CREATE_SESSION_PROFILE', profile);
  const { sessionProfileId } = resultOf(made, 'createSessionProfileResult');
  const asked = `activity.resource == 'AUTH' && activity.params.session_profile_id == '${sessionProfileId}'`;
  await newMfa(person.byKey, person, steps([method('EMAIL_OTP')]), { condition: asked, order: 0 });
  const login = (more: object = {}) => person.byKey.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, ...more });
  resultOf(await login(), 'stampLoginResult');
  done(await person.byKey.submit(TAG, tag()));
  const waiting = open(await login({ sessionProfileId }));
  const approved = await approve(person.byEmail(), waiting);
  assert.ok(resultOf(approved, 'stampLoginResult'), 'the login that waited made a session');
  const failing = "activity.params.session_profile_id == 'none'";
  await newMfa(person.byKey, person, steps([method('SMS_OTP')]), { condition: failing, order: 1 });
  done(await person.byKey.submit(TAG, tag()));
  await newMfa(person.byKey, person, steps([method('PASSKEY')]), { condition: 'true', order: 3 });
  done(await approve(person.byPasskey, open(await person.byKey.submit(TAG, tag()))));
});

test('everything asks for more, but for an exception before it: no way round by further credentials, users or policies', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  const { userId, byKey } = person;
  const exception = steps([method('PASSKEY'), method('API_KEY'), method('SESSION')]);
  const all = await newMfa(byKey, person, steps([method('PASSKEY')]), { order: 1, condition: 'true' });
  const removal = { userId, mfaPolicyId: all };
  await newMfa(person.byPasskey, person, exception, { ...ONLY_TAGS, order: 0 });
  done(await byKey.submit(TAG, tag()));
  const ways: [string, object][] = [
    ['CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(newKeys())] }],
    ['UPDATE_USER_EMAIL', { userId, userEmail: 'other@example.com' }],
    ['UPDATE_MFA_POLICY', { ...removal, condition: 'false' }],
    ['DELETE_MFA_POLICY', removal],
    ['UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [userId] }],
    ['CREATE_USERS_V4', { users: [{ ...userWith('Mole', [newKeys()]), userTags: [] }] }],
    ['CREATE_POLICY_V3', { policyName: 'all', effect: 'EFFECT_ALLOW', consensus: 'true', notes: '' }],
  ];
  for (const [type, parameters] of ways) open(await byKey.submit(type, parameters));
});

test('a root that the activity does not have is false: the other side of || matches', async () => {
  const condition = `eth.tx.value > 5 || activity.kind == '${TAG}'`;
  const person = await personWith(() => steps([method('PASSKEY')]), { condition });
  done(await approve(person.byPasskey, open(await person.byKey.submit(TAG, tag()))));
  const negated = { condition: `!(eth.tx.value > 5)` };
  const other = await personWith(() => steps([method('PASSKEY')]), negated);
  done(await other.byKey.submit(TAG, tag()));
});

test('of a batch, the element that matches asks', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  const wallet = await person.byKey.submit('CREATE_WALLET', {
    walletName: 'Batch',
    accounts: [
      {
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: "m/44'/60'/0'/0/0",
        addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
      },
    ],
  });
  const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  const typed = (value: string) =>
    JSON.stringify({
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
      primaryType: 'Note',
      domain: { name: 'd' },
      message: { text: value },
    });
  await newMfa(person.byKey, person, steps([method('PASSKEY')]), {
    condition: "eth.eip_712.message['text'] == 'secret'",
  });
  const sign = (payloads: string[]) =>
    person.byKey.submit('SIGN_RAW_PAYLOADS', {
      signWith,
      payloads,
      encoding: 'PAYLOAD_ENCODING_EIP712',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
  done(await sign([typed('plain'), typed('other')]));
  done(await approve(person.byPasskey, open(await sign([typed('plain'), typed('secret')]))));
});

test('a condition with too many evaluation steps is unknown, and asks', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  };
  const wallet = await person.byKey.submit('CREATE_WALLET', { walletName: 'Large', accounts: [account] });
  const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  const friends = Array.from({ length: 50 }, (_, i) => `'friend ${i}'`);
  await newMfa(person.byKey, person, steps([method('PASSKEY')]), {
    condition: `eth.eip_712.message['to'].any(x, !(x in [${friends}]))`,
  });
  const how = { signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const payment = (to: string[]) =>
    JSON.stringify({
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Pay: [{ name: 'to', type: 'string[]' }] },
      primaryType: 'Pay',
      domain: { name: 'd' },
      message: { to },
    });
  const pay = (to: string[]) => person.byKey.submit('SIGN_RAW_PAYLOAD_V2', { ...how, payload: payment(to) });
  const payAll = (payloads: string[]) => person.byKey.submit('SIGN_RAW_PAYLOADS', { ...how, payloads });
  done(await pay(['friend 1']));
  open(await pay(['stranger']));
  const padding = Array.from({ length: 3000 }, () => 'friend 1');
  done(await approve(person.byPasskey, open(await pay(['stranger', ...padding]))));
  const several = Array.from({ length: 200 }, () => payment(Array.from({ length: 100 }, () => 'friend 49')));
  done(await payAll(several.slice(0, 10)));
  open(await payAll(several));
});

test('an id pins one credential', async () => {
  const person = await personWith(({ apiKeyId }) => steps([method('API_KEY', apiKeyId)]));
  const other = newKeys();
  const keys = { userId: person.userId, apiKeys: [apiKey(other)] };
  resultOf(await person.byKey.submit('CREATE_API_KEYS_V2', keys), 'createApiKeysResult');
  done(await person.byKey.submit(TAG, tag()));
  const waiting = open(await person.byKey.as(other).submit(TAG, tag()));
  open(await approve(person.byPasskey, waiting));
  done(await approve(person.byKey, waiting));
});

test('an OAuth provider shows itself by an attested stamp', async () => {
  const iat = Math.floor(instance.clock.now() / 1000);
  const times = { iat, exp: iat + 3600 };
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: issuer.signNow({ sub: 'mfa', ...times }) }];
  const { people } = await newPlace(instance, 1, 1, [{ oauthProviders }]);
  const person = people[0]!;
  const [provider] = (await person.byKey.query('get_oauth_providers', { userId: person.userId })).body.oauthProviders;
  await newMfa(person.byKey, person, steps([method('OAUTH', provider.providerId)]), ONLY_TAGS);
  const keys = newKeys();
  const oidcToken = issuer.signNow({ sub: 'mfa', nonce: nonceOf(keys.publicKey), ...times });
  const waiting = open(await person.byKey.submit(TAG, tag()));
  open(await approve(person.byEmail(), waiting));
  done(await approve(attested(person.byKey, keys, { oidcToken }), waiting));
});

test('a session shows that it is one, of which profile, and nothing of the login that made it', async () => {
  const profile = { sessionProfileName: 'MFA', scope: 'true' };
  const made = await instance.root.submit('CREATE_SESSION_PROFILE', profile);
  const { sessionProfileId } = resultOf(made, 'createSessionProfileResult');
  const byKey = await personWith(() => steps([method('API_KEY')]));
  const session = await byKey.bySession();
  const waiting = open(await session.submit(TAG, tag()));
  open(await approve(await byKey.bySession(), waiting));
  done(await approve(byKey.byKey, waiting));

  const any = await personWith(() => steps([method('SESSION')]));
  done(await (await any.bySession()).submit(TAG, tag()));
  done(await (await any.bySession(sessionProfileId)).submit(TAG, tag()));
  open(await any.byKey.submit(TAG, tag()));

  const plain = await personWith(() => steps([method('SESSION', NO_PROFILE)]));
  done(await (await plain.bySession()).submit(TAG, tag()));
  const scoped = open(await (await plain.bySession(sessionProfileId)).submit(TAG, tag()));
  done(await approve(await plain.bySession(), scoped));

  const pinned = await personWith(() => steps([method('SESSION', sessionProfileId)], [method('PASSKEY')]));
  const both = open(await (await pinned.bySession(sessionProfileId)).submit(TAG, tag()));
  done(await approve(pinned.byPasskey, both));
  open(await (await pinned.bySession()).submit(TAG, tag()));
});

test('an activity that policies deny is refused immediately, and stored', async () => {
  const { client } = await newPlace(instance, 1);
  const member = await newMember(instance, client);
  await newMfa(client, member, steps([method('PASSKEY')]));
  refused(await member.byKey.submit(TAG, tag()), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  await newPolicy(client, { condition: ONLY_TAGS.condition, consensus: 'true' });
  done(await approve(member.byPasskey, open(await member.byKey.submit(TAG, tag()))));
});

test('the same stamp shows nothing new, and the same body by two credentials is two proofs', async () => {
  const person = await personWith(() => steps([method('PASSKEY')], [method('EMAIL_OTP')]));
  const body = person.byKey.bodyOf(TAG, tag());
  const waiting = await person.byKey.send(submitPath(TAG), body);
  const activity = open(waiting);
  assert.deepEqual((await person.byKey.send(submitPath(TAG), body)).body, waiting.body, 'asking again changes nothing');
  const approval = person.byKey.bodyOf('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  const path = submitPath('APPROVE_ACTIVITY');
  open(await person.byKey.send(path, approval));
  open(await person.byKey.send(path, approval));
  open(await person.byPasskey.send(path, approval));
  open(await person.byPasskey.send(path, approval));
  open(await approve(person.byPasskey, activity));
  assert.equal((await proofsOf(person, activity.id)).length, 1);
  done(await person.byEmail().send(path, approval));
  assert.equal((await proofsOf(person, activity.id)).length, 2);
  done(await person.byPasskey.send(path, approval));
});

const proofsOf = ({ byKey }: Person, id: string) => instance.engine.store.read.proofs.ofActivity(byKey.organizationId, id);

test('the record has each proof: its user, its credential and its body', async () => {
  const person = await personWith(() => steps([method('PASSKEY')], [method('EMAIL_OTP')]));
  const activity = open(await person.byKey.submit(TAG, tag()));
  const approved = await approve(person.byPasskey, activity);
  open(approved);
  const [proof] = await proofsOf(person, activity.id);
  const approval = (await instance.engine.store.read.activities.get(person.byKey.organizationId, proof!.approvalId))!;
  assert.equal(approval.type, 'ACTIVITY_TYPE_APPROVE_ACTIVITY');
  assert.match(approval.body.toString(), new RegExp(activity.fingerprint));
  assert.deepEqual(
    [proof!.userId, proof!.credentialId, proof!.scheme],
    [person.userId, person.passkeyId, 'SIGNATURE_SCHEME_TK_WEBAUTHN'],
  );
  const events = await instance.raw('SELECT event FROM audit ORDER BY position');
  assert.ok(events.some(({ event }) => event === 'proof.given'));
});

test('a proof counts for a day, and a replay of it renews nothing', async () => {
  const person = await personWith(() => steps([method('PASSKEY')], [method('EMAIL_OTP')], [method('API_KEY')]));
  const activity = open(await person.byKey.submit(TAG, tag()));
  const body = person.byKey.bodyOf('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  const path = submitPath('APPROVE_ACTIVITY');
  open(await person.byPasskey.send(path, body));
  instance.clock.advance(DAY);
  open(await person.byPasskey.send(path, body));
  open(await approve(person.byKey, activity));
  open(await approve(person.byEmail(), activity));
  done(await approve(person.byPasskey, activity));
});

test('a proof counts while its credential is there', async () => {
  const person = await personWith(() => steps([method('PASSKEY')], [method('EMAIL_OTP')]));
  const activity = open(await person.byKey.submit(TAG, tag()));
  open(await approve(person.byPasskey, activity));
  const gone = { userId: person.userId, authenticatorIds: [person.passkeyId] };
  resultOf(await person.byKey.submit('DELETE_AUTHENTICATORS', gone), 'deleteAuthenticatorsResult');
  open(await approve(person.byEmail(), activity));
});

test('a policy that is made while an activity waits applies to it from the next decision on, and so does its deletion', async () => {
  const { people, client } = await newPlace(instance, 2, 2);
  const [one, two] = people as [Person, Person];
  const waiting = (await one.byKey.submit(TAG, tag())).body.activity;
  assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const policy = { userId: one.userId, mfaPolicyName: 'late', condition: 'true', order: 0 };
  const parameters = { ...policy, requiredAuthenticationMethods: steps([method('PASSKEY')]) };
  const body = client.bodyOf('CREATE_MFA_POLICY', parameters);
  await one.byKey.send(submitPath('CREATE_MFA_POLICY'), body);
  const made = resultOf(await two.byKey.send(submitPath('CREATE_MFA_POLICY'), body), 'createMfaPolicyResult');
  open(await approve(two.byKey, waiting));
  const removal = { userId: one.userId, mfaPolicyId: made.mfaPolicyId };
  const ask = open(await one.byKey.submit('DELETE_MFA_POLICY', removal));
  open(await approve(two.byKey, ask));
  done(await approve(one.byPasskey, ask));
  done(await approve(one.byKey, waiting));
});

test('no user passes by: an MFA policy holds for its own deletion, and another permitted user helps', async () => {
  const { people, client } = await newPlace(instance, 2);
  const [one, two] = people as [Person, Person];
  const mfaPolicyId = await newMfa(client, one, steps([method('PASSKEY')]));
  const removal = { userId: one.userId, mfaPolicyId };
  open(await one.byKey.submit('DELETE_MFA_POLICY', removal));
  open(await one.byKey.submit('UPDATE_MFA_POLICY', { ...removal, condition: 'false' }));
  resultOf(await two.byKey.submit('DELETE_MFA_POLICY', removal), 'deleteMfaPolicyResult');
  done(await one.byKey.submit(TAG, tag()));
});

test('a rejection needs no MFA, and ends the wait', async () => {
  const person = await personWith(() => steps([method('PASSKEY')]));
  const activity = open(await person.byKey.submit(TAG, tag()));
  const rejected = await reject(person.byKey, activity);
  assert.equal(rejected.body.activity.status, 'ACTIVITY_STATUS_REJECTED', rejected.text);
  refused(await approve(person.byPasskey, activity), [403, 'REQUEST_NOT_AUTHORIZED', /has ended/]);
});

test('bad parameters are refused before the wait, and what fails in it fails with its proof', async () => {
  const person = await personWith(() => steps([method('PASSKEY')]));
  refused(await person.byKey.submit(TAG, { userTagName: '', userIds: [] }), [400, 'REQUEST_INVALID', /must not be empty/]);
  const name = tag();
  const [first, second] = [
    open(await person.byKey.submit(TAG, name)),
    open(await person.byKey.submit(TAG, { ...name, userTagName: ` ${name.userTagName}`.trim() })),
  ];
  done(await approve(person.byPasskey, first));
  const failed = await approve(person.byPasskey, second);
  assert.equal(failed.body.activity?.status, 'ACTIVITY_STATUS_FAILED', failed.text);
});
