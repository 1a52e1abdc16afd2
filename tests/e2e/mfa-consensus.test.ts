import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayVote } from '../activities/support.ts';
import { type Client, newKeys, resultOf, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { approvedBy, newPolicy } from './authority.ts';
import {
  approve,
  done,
  method,
  newMember,
  newMfa,
  newPlace,
  open,
  type Person,
  type Place,
  reject,
  statusOf,
  steps,
  TAG,
  tag,
} from './mfa-support.ts';

/** MFA where several must agree. */
const instance = await sharedInstance();
const ONLY_TAGS = { condition: `activity.kind == '${TAG}'` };
const PASSKEY = steps([method('PASSKEY')]);

/** Two root users who must agree, before MFA policies are given by both. */
async function pairOf(withMfa: readonly number[]): Promise<[Person, Person, Place]> {
  const place = await newPlace(instance, 2);
  const [one, two] = place.people as [Person, Person];
  for (const i of withMfa) await newMfa(place.client, place.people[i]!, PASSKEY, ONLY_TAGS);
  const quorum = { threshold: 2, userIds: [one.userId, two.userId] };
  resultOf(await one.byKey.submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
  return [one, two, place];
}

test('the submitter’s MFA first, then the votes of others', async () => {
  const [one, two] = await pairOf([0]);
  const activity = open(await one.byKey.submit(TAG, tag()));
  const proven = await approve(one.byPasskey, activity);
  assert.equal(statusOf(proven), 'CONSENSUS_NEEDED');
  assert.equal(proven.body.activity.votes.length, 1);
  done(await approve(two.byKey, activity));
});

test('no vote of others replaces the submitter’s MFA, and the votes that came before it count after it', async () => {
  const [one, two] = await pairOf([0]);
  const body = one.byKey.bodyOf(TAG, tag());
  const activity = open(await one.byKey.send(submitPath(TAG), body));
  open(await two.byKey.send(submitPath(TAG), body));
  open(await approve(two.byPasskey, activity));
  const ran = await approve(one.byPasskey, activity);
  done(ran);
  assert.equal(ran.body.activity.votes.length, 2);
});

test('an approver’s vote counts once that approver’s own MFA is met', async () => {
  const [one, two] = await pairOf([1]);
  const waiting = await one.byKey.submit(TAG, tag());
  assert.equal(statusOf(waiting), 'CONSENSUS_NEEDED');
  const { activity } = waiting.body;
  assert.deepEqual(await mayVote(two.byKey, activity.id), [true, true]);
  const voted = await approve(two.byKey, activity);
  open(voted);
  assert.equal(voted.body.activity.votes.length, 2);
  assert.deepEqual(await mayVote(two.byKey, activity.id), [true, true], 'they may approve once more');
  assert.deepEqual(await mayVote(one.byKey, activity.id), [false, true]);
  open(await approve(two.byKey, activity));
  done(await approve(two.byPasskey, activity));
});

test('an approver’s own stamp is enough if it meets the policy', async () => {
  const [one, two] = await pairOf([0, 1]);
  const activity = (await one.byPasskey.submit(TAG, tag())).body.activity;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  done(await approve(two.byPasskey, activity));
});

test('the vote of a user with open MFA steps stops no other user', async () => {
  const place = await newPlace(instance, 3);
  const [one, two, three] = place.people as [Person, Person, Person];
  await newMfa(place.client, two, PASSKEY, ONLY_TAGS);
  const quorum = { threshold: 2, userIds: place.people.map(({ userId }) => userId) };
  resultOf(await one.byKey.submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
  const { activity } = (await one.byKey.submit(TAG, tag())).body;
  open(await approve(two.byKey, activity));
  done(await approve(three.byKey, activity));
});

test('a policy counts only voters who have met theirs', async () => {
  const { client } = await newPlace(instance, 1);
  const [one, two, three] = [
    await newMember(instance, client),
    await newMember(instance, client),
    await newMember(instance, client),
  ];
  await newPolicy(client, { consensus: 'approvers.count() >= 2' });
  await newMfa(client, one, PASSKEY);
  await newMfa(client, two, steps([method('EMAIL_OTP')]));
  const activity = open(await one.byKey.submit(TAG, tag()));
  open(await approve(three.byKey, activity));
  open(await approve(two.byKey, activity));
  done(await approve(one.byPasskey, activity));
  const other = open(await one.byKey.submit(TAG, tag()));
  assert.equal(statusOf(await approve(one.byPasskey, other)), 'CONSENSUS_NEEDED');
  open(await approve(two.byKey, other));
  done(await approve(two.byEmail(), other));
});

test('credentials in consensus include the proofs of those who voted', async () => {
  const { client } = await newPlace(instance, 1);
  const [one, two] = [await newMember(instance, client), await newMember(instance, client)];
  const passkey = "credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')";
  await newPolicy(client, { consensus: `approvers.count() >= 2 && ${passkey}` });
  await newMfa(client, one, PASSKEY);
  const activity = open(await one.byKey.submit(TAG, tag()));
  assert.equal(statusOf(await approve(one.byPasskey, activity)), 'CONSENSUS_NEEDED');
  done(await approve(two.byKey, activity));
  const { policyEvaluations } = (await client.query('get_policy_evaluations', { activityId: activity.id })).body;
  const last = policyEvaluations.at(-1).policyEvaluations[0];
  assert.deepEqual([last.outcome, last.note], ['OUTCOME_ALLOW', undefined], 'the record explains it with the proof');
});

test('a vote that would complete a DENY is refused, proven or not', async () => {
  const { client } = await newPlace(instance, 1);
  const [one, two] = [await newMember(instance, client), await newMember(instance, client)];
  await newPolicy(client, { consensus: 'approvers.count() >= 2' });
  await newPolicy(client, { effect: 'EFFECT_DENY', consensus: approvedBy(two.userId) });
  await newMfa(client, two, PASSKEY);
  const { activity } = (await one.byKey.submit(TAG, tag())).body;
  refused(await approve(two.byKey, activity), [403, 'REQUEST_NOT_AUTHORIZED', /denied this action/]);
  refused(await approve(two.byPasskey, activity), [403, 'REQUEST_NOT_AUTHORIZED', /denied this action/]);
  const [, after] = await mayVote(one.byKey, activity.id);
  assert.equal(after, true);
});

test('a rejection works at any time, also by a user with open steps', async () => {
  const [one, two] = await pairOf([0, 1]);
  const first = open(await one.byKey.submit(TAG, tag()));
  assert.equal(statusOf(await reject(two.byKey, first)), 'REJECTED');
  const second = (await one.byPasskey.submit(TAG, tag())).body.activity;
  open(await approve(two.byKey, second));
  assert.equal(statusOf(await reject(two.byKey, second)), 'REJECTED');
});

test('an approver is asked for the approval and for the approved activity, a submitter for the activity alone', async () => {
  for (const condition of [
    "activity.kind == 'APPROVE_ACTIVITY'",
    `vote.selection == 'VOTE_SELECTION_APPROVED' && activity.kind == '${TAG}'`,
  ]) {
    const { people } = await newPlace(instance, 2);
    const [one, two] = people as [Person, Person];
    await newMfa(one.byKey, two, PASSKEY, { condition });
    const quorum = { threshold: 2, userIds: [one.userId, two.userId] };
    resultOf(await one.byKey.submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
    const { activity } = (await one.byKey.submit(TAG, tag())).body;
    open(await approve(two.byKey, activity));
    done(await approve(two.byPasskey, activity));
    const own = await two.byKey.submit(TAG, tag());
    assert.equal(statusOf(own), 'CONSENSUS_NEEDED');
    done(await approve(one.byKey, own.body.activity));
    const asked = { type: `ACTIVITY_TYPE_${TAG}`, parameters: tag() };
    const policyOf = async (approverUserIds: string[]) =>
      (await one.byKey.query('simulate_activity', { ...asked, approverUserIds })).body.mfaStatuses.length;
    assert.deepEqual([await policyOf([one.userId, two.userId]), await policyOf([two.userId, one.userId])], [1, 0]);
  }
});

test('a login that a parent’s user starts in a sub-organization is under that user’s MFA policies', async () => {
  const { people, organizationId } = await newPlace(instance, 1);
  const helper = await newMember(instance, instance.root);
  await newPolicy(instance.root, { condition: "activity.resource == 'OTP'", consensus: approvedBy(helper.userId) });
  await newMfa(instance.root, helper, PASSKEY);
  const below: Client = helper.byKey.as(helper.keys, organizationId);
  const asked = { otpType: 'OTP_TYPE_EMAIL', contact: people[0]!.email, appName: 'App' };
  const waiting = open(await below.submit('INIT_OTP_V3', asked));
  refused(await approve(people[0]!.byKey, waiting), [403, 'REQUEST_NOT_AUTHORIZED', /users of the organization/]);
  const body = below.bodyOf('APPROVE_ACTIVITY', { fingerprint: waiting.fingerprint });
  done(await helper.byPasskey.send(submitPath('APPROVE_ACTIVITY'), body));
});

test('lists find activities that wait for stamps, and a session proves only what its scope lets it approve', async () => {
  const { people, client } = await newPlace(instance, 1);
  const person = people[0]!;
  const profile = (scope: string) => instance.root.submit('CREATE_SESSION_PROFILE', { sessionProfileName: scope, scope });
  const key = 'createSessionProfileResult';
  const { sessionProfileId: mute } = resultOf(await profile(`activity.kind == '${TAG}'`), key);
  const { sessionProfileId: approving } = resultOf(
    await profile(
      `activity.kind == 'APPROVE_ACTIVITY' || vote.selection == 'VOTE_SELECTION_APPROVED' && activity.kind == '${TAG}'`,
    ),
    key,
  );
  await newMfa(client, person, steps([method('SESSION')]), ONLY_TAGS);
  const activity = open(await person.byKey.submit(TAG, tag()));
  const filter = { filterByStatus: ['ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'] };
  const listed = (await client.query('list_activities', filter)).body.activities;
  assert.deepEqual(
    listed.map(({ id, canApprove }: { id: string; canApprove: boolean }) => [id, canApprove]),
    [[activity.id, true]],
  );
  refused(await approve(await person.bySession(mute), activity), [403, 'REQUEST_NOT_AUTHORIZED', /scope of the session/]);
  done(await approve(await person.bySession(approving), activity));
  assert.deepEqual((await client.query('list_activities', filter)).body.activities, []);
});

test('deleting the submitter leaves the others to decide', async () => {
  const { people, client } = await newPlace(instance, 2);
  const [one] = people as [Person, Person];
  const [gone, two, three] = [
    await newMember(instance, client),
    await newMember(instance, client),
    await newMember(instance, client),
  ];
  await newPolicy(client, { ...ONLY_TAGS, consensus: 'approvers.count() >= 2' });
  await newMfa(client, gone, PASSKEY);
  const activity = open(await gone.byKey.submit(TAG, tag()));
  open(await approve(two.byKey, activity));
  resultOf(await one.byKey.submit('DELETE_USERS', { userIds: [gone.userId] }), 'deleteUsersResult');
  done(await approve(three.byKey, activity));
});

test('a signature of a user with MFA policies is decided by them, from memory too', async () => {
  const { people, client } = await newPlace(instance, 1);
  const person = people[0]!;
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  };
  const made = await client.submit('CREATE_WALLET', { walletName: 'Signing', accounts: [account] });
  const [signWith] = resultOf(made, 'createWalletResult').addresses;
  const sign = () =>
    person.byKey.submit('SIGN_RAW_PAYLOAD_V2', {
      signWith,
      payload: newKeys().publicKey.slice(2),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
  for (let i = 0; i < 3; i++) done(await sign());
  const mfaPolicyId = await newMfa(client, person, PASSKEY, { condition: "activity.action == 'SIGN'" });
  for (let i = 0; i < 3; i++) open(await sign());
  const waiting = open(await sign());
  done(await approve(person.byPasskey, waiting));
  resultOf(await client.submit('DELETE_MFA_POLICY', { userId: person.userId, mfaPolicyId }), 'deleteMfaPolicyResult');
  for (let i = 0; i < 3; i++) done(await sign());
});
