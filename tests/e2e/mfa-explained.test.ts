import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from '../support/cli.ts';
import { submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newPolicy } from './authority.ts';
import { approve, done, method, newMember, newMfa, newPlace, open, type Person, steps, TAG, tag } from './mfa-support.ts';

/** Simulation and the record show which step is missing, of which policy, for whom. */
const instance = await sharedInstance();
const simulate = async (person: Person, more: object = {}, type = `ACTIVITY_TYPE_${TAG}`, by = person.byKey) => {
  const parameters = { type, parameters: tag(), ...more };
  const { body, status, text } = await (by as Person['byKey']).query('simulate_activity', parameters);
  assert.equal(status, 200, text);
  return body;
};

test('a simulation says which steps the credential that asks would leave open', async () => {
  const { people, client } = await newPlace(instance, 2);
  const [person, other] = people as [Person, Person];
  assert.deepEqual((await simulate(person)).mfaStatuses, []);
  const required = steps([method('PASSKEY')], [method('API_KEY')]);
  const mfaPolicyId = await newMfa(client, person, required, { mfaPolicyName: 'Two steps' });
  const asked = await simulate(person);
  assert.equal(asked.outcome, 'OUTCOME_REQUIRES_AUTHENTICATORS');
  assert.deepEqual(asked.mfaStatuses, [
    {
      mfaPolicyId,
      mfaPolicyName: 'Two steps',
      userId: person.userId,
      satisfied: false,
      satisfiedMethods: [method('API_KEY', person.apiKeyId)],
      requiredMethods: required,
      missingMethods: steps([method('PASSKEY')]),
    },
  ]);
  open(await person.byKey.submit(TAG, tag()));

  const named = await simulate(other, { approverUserIds: [person.userId] });
  assert.equal(named.outcome, 'OUTCOME_ALLOW', 'they have what it takes');
  assert.deepEqual([named.mfaStatuses[0].satisfied, named.mfaStatuses[0].missingMethods], [true, []]);
  const vote = { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', parameters: { fingerprint: `sha256:${'0'.repeat(64)}` } };
  assert.deepEqual((await simulate(person, vote)).mfaStatuses, [], 'votes are no targets');
});

test('a simulated approval is asked for what the approval itself would be', async () => {
  const { people } = await newPlace(instance, 2, 2);
  const [one, two] = people as [Person, Person];
  const vote = "vote.selection == 'VOTE_SELECTION_APPROVED'";
  const policy = { userId: two.userId, mfaPolicyName: 'Votes', condition: vote, order: 0 };
  const required = { requiredAuthenticationMethods: steps([method('PASSKEY')]) };
  const made = await two.byKey.submit('CREATE_MFA_POLICY', { ...policy, ...required });
  done(await approve(one.byKey, made.body.activity));
  const waiting = (await one.byKey.submit(TAG, tag())).body.activity;
  const approval = { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', parameters: { fingerprint: waiting.fingerprint } };
  const simulated = await simulate(two, approval);
  assert.equal(simulated.outcome, 'OUTCOME_REQUIRES_AUTHENTICATORS');
  assert.equal(simulated.mfaStatuses[0].mfaPolicyName, 'Votes');
  const rejection = { ...approval, type: 'ACTIVITY_TYPE_REJECT_ACTIVITY' };
  assert.deepEqual((await simulate(two, rejection)).mfaStatuses, []);
  open(await approve(two.byKey, waiting));
});

test('a step that a user cannot meet is open in a simulation about them', async () => {
  const { people, client } = await newPlace(instance, 2);
  const [person, other] = people as [Person, Person];
  await newMfa(client, person, steps([method('OAUTH')]));
  const named = await simulate(other, { approverUserIds: [person.userId] });
  assert.equal(named.outcome, 'OUTCOME_REQUIRES_AUTHENTICATORS');
  const both = await simulate(other, { approverUserIds: [other.userId, person.userId] });
  assert.equal(both.outcome, 'OUTCOME_ALLOW', 'the activity passes without that vote');
});

test('the record of a waiting activity names the steps, and so does the command', async () => {
  const { people, client } = await newPlace(instance, 1);
  const member = await newMember(instance, client);
  await newPolicy(client, { consensus: `approvers.any(user, user.id == '${member.userId}')` });
  const required = steps([method('PASSKEY'), method('EMAIL_OTP')], [method('API_KEY', member.apiKeyId)], [method('SMS_OTP')]);
  const mfaPolicyId = await newMfa(client, member, required, { mfaPolicyName: 'Three' });
  const activity = open(await member.byKey.submit(TAG, tag()));
  const explained = async () => {
    const { body } = await people[0]!.byKey.query('get_policy_evaluations', { activityId: activity.id });
    return body.mfaStatuses.map((one: { missingMethods: unknown }) => one.missingMethods);
  };
  assert.deepEqual(await explained(), [[required[0], required[2]]]);
  open(await approve(member.bySms(), activity));
  assert.deepEqual(await explained(), [[required[0]]]);

  const credentials = join(instance.dataDir, 'mfa-why.json');
  const { publicKey, privateKey } = member.keys;
  const file = { organizationId: member.byKey.organizationId, apiPublicKey: publicKey, apiPrivateKey: privateKey };
  writeFileSync(credentials, JSON.stringify(file), { mode: 0o600 });
  const { code, out: told } = await cli(['why', activity.id, '--url', instance.url, '--credentials', credentials]);
  assert.equal(code, 0);
  assert.match(told, /: AUTHENTICATORS_NEEDED\n/);
  assert.match(
    told,
    new RegExp(`MFA policy Three \\(${mfaPolicyId}\\) waits for approvals of .* by\n    PASSKEY or EMAIL_OTP\n`),
  );
  assert.match(told, /You may approve or reject it/);
  await approve(member.byPasskey, activity);
  assert.deepEqual(await explained(), []);
});

test('the record shows the proofs that let an activity pass, each with the body that it signed, and what policies came to with them', async () => {
  const { client } = await newPlace(instance, 1);
  const member = await newMember(instance, client);
  const passkey = "credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')";
  await newPolicy(client, { consensus: `approvers.count() >= 1 && ${passkey}` });
  await newMfa(client, member, steps([method('PASSKEY')], [method('EMAIL_OTP')]));
  const activity = open(await member.byKey.submit(TAG, tag()));
  const approval = member.byKey.bodyOf('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  const path = submitPath('APPROVE_ACTIVITY');
  open(await member.byEmail().send(path, approval));
  // The same body: its own record has the first stamp alone.
  done(await member.byPasskey.send(path, approval));
  const explained = async (activityId: string) => (await client.query('get_policy_evaluations', { activityId })).body;
  const { proofs } = await explained(activity.id);
  const [approvalId] = proofs.map((one: { approvalActivityId: string }) => one.approvalActivityId);
  assert.deepEqual(
    proofs.map((one: { userId: string; approvalActivityId: string; scheme: string }) => [
      one.userId,
      one.approvalActivityId,
      one.scheme,
    ]),
    [
      [member.userId, approvalId, 'SIGNATURE_SCHEME_TK_ATTESTED_P256'],
      [member.userId, approvalId, 'SIGNATURE_SCHEME_TK_WEBAUTHN'],
    ],
  );
  const [vote] = (await client.query('get_activity', { activityId: approvalId })).body.activity.votes;
  assert.equal(vote.message, approval);
  const { clientDataJson } = JSON.parse(proofs[1].signature);
  const { challenge } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
  const digest = createHash('sha256').update(approval).digest('hex');
  assert.equal(Buffer.from(challenge, 'base64url').toString(), digest, 'the passkey signed the body of the approval');

  const second = open(await member.byKey.submit(TAG, tag()));
  open(await approve(member.byEmail(), second));
  done(await approve(member.byPasskey, second));
  const ids = (await explained(second.id)).proofs.map((one: { approvalActivityId: string }) => one.approvalActivityId);
  const [first, last] = [await explained(ids[0]), await explained(ids[1])].map(({ policyEvaluations }) => policyEvaluations[0]);
  assert.deepEqual(
    [first, last].map(({ policyEvaluations: [only] }) => [only.outcome, only.note]),
    [
      ['OUTCOME_REQUIRES_CONSENSUS', undefined],
      ['OUTCOME_ALLOW', undefined],
    ],
  );
});
