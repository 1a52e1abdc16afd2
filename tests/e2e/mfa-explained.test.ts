import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sharedInstance } from '../support/instance.ts';
import { newPolicy } from './authority.ts';
import { approve, method, newMember, newMfa, newPlace, open, type Person, steps, TAG, tag } from './mfa-support.ts';

/** Simulation and the record show which step is missing, of which policy, for whom. */
const instance = await sharedInstance();
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

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

test('a step that somebody cannot meet is open in a simulation about them', async () => {
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
  const told = await new Promise<string>((resolve, fail) =>
    execFile(
      process.execPath,
      [CLI, 'why', activity.id, '--url', instance.url, '--credentials', credentials],
      { env: { PATH: process.env.PATH } },
      (error, text) => (error ? fail(error) : resolve(text)),
    ),
  );
  assert.match(told, /: AUTHENTICATORS_NEEDED\n/);
  assert.match(
    told,
    new RegExp(`MFA policy Three \\(${mfaPolicyId}\\) waits for approvals of .* by\n    PASSKEY or EMAIL_OTP\n`),
  );
  assert.match(told, /You may approve or reject it/);
  await approve(member.byPasskey, activity);
  assert.deepEqual(await explained(), []);
});
