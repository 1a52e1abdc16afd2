import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMfaStatus } from '../../../src/queries/mfa-policies/get-mfa-status.ts';
import { newPolicy } from '../../e2e/authority.ts';
import { approve, method, newMember, newMfa, newPlace, open, type Person, steps, TAG, tag } from '../../e2e/mfa-support.ts';
import { sharedInstance } from '../../support/instance.ts';

import { NOBODY } from '../../support/refusals.ts';
import { hidesOthers } from '../support.ts';

const instance = await sharedInstance();

async function statuses(person: Pick<Person, 'byKey'>, asked: object) {
  const { status, body, text } = await person.byKey.query('get_mfa_status', asked);
  assert.equal(status, 200, text);
  assert.deepEqual(getMfaStatus.result.parse(body), body, 'the answer has its declared shape');
  return body.mfaStatuses;
}

test('the asked and the shown factors, until the activity is finished', async () => {
  const { people } = await newPlace(instance, 1);
  const person = people[0]!;
  const required = steps([method('PASSKEY', person.passkeyId)], [method('EMAIL_OTP')]);
  const mfaPolicyId = await newMfa(person.byKey, person, required);
  const activity = open(await person.byKey.submit(TAG, tag()));
  const asked = { activityId: activity.id };
  const one = { mfaPolicyId, userId: person.userId, requiredMethods: required };
  assert.deepEqual(await statuses(person, asked), [{ ...one, satisfied: false, satisfiedMethods: [] }]);
  open(await approve(person.byPasskey, activity));
  const shown = [method('PASSKEY', person.passkeyId)];
  assert.deepEqual(await statuses(person, asked), [{ ...one, satisfied: false, satisfiedMethods: shown }]);
  assert.deepEqual(await statuses(person, { ...asked, userId: person.userId }), await statuses(person, asked));
  await approve(person.byEmail(), activity);
  assert.deepEqual(await statuses(person, asked), [], 'nothing is asked of a finished one');
});

test('of each who voted, of who has not yet if asked for, and of nobody without a policy that matches', async () => {
  const { people } = await newPlace(instance, 2, 2);
  const [one, two] = people as [Person, Person];
  const waiting = (await one.byKey.submit('CREATE_USER_TAG', tag())).body.activity;
  assert.deepEqual(await statuses(one, { activityId: waiting.id }), []);
  assert.deepEqual(await statuses(one, { activityId: waiting.id, userId: two.userId }), []);
  assert.deepEqual(await statuses(one, { activityId: waiting.id, userId: NOBODY }), []);

  const sole = await newPlace(instance, 2, 1);
  const [first, second] = sole.people as [Person, Person];
  await newMfa(sole.client, second, steps([method('PASSKEY')]));
  const member = await newMember(instance, sole.client);
  await newPolicy(sole.client, { consensus: `approvers.any(user, user.id == '${member.userId}') && approvers.count() > 1` });
  const asks = (await member.byKey.submit(TAG, tag())).body.activity;
  assert.equal(asks.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.deepEqual(await statuses(first, { activityId: asks.id }), []);
  const [before] = await statuses(first, { activityId: asks.id, userId: second.userId });
  assert.deepEqual([before.userId, before.satisfied], [second.userId, false]);
  open(await approve(second.byKey, asks));
  const [after] = await statuses(first, { activityId: asks.id });
  assert.deepEqual(after, before);
});

test('the parent asks; elsewhere the activity is nothing, and who belongs to the parent is not told below', async () => {
  const { people, organizationId, client } = await newPlace(instance, 1);
  const person = people[0]!;
  await newMfa(client, person, steps([method('PASSKEY')]));
  const activity = open(await person.byKey.submit(TAG, tag()));
  const parent = { byKey: instance.root.as(instance.root.keys, organizationId) };
  assert.deepEqual(await statuses(parent, { activityId: activity.id }), await statuses(person, { activityId: activity.id }));
  await hidesOthers(instance.root, 'get_mfa_status', 'activityId', activity.id, /activity not found/);

  const helper = await newMember(instance, instance.root);
  await newMfa(instance.root, helper, steps([method('PASSKEY')]));
  await newPolicy(instance.root, { consensus: `approvers.any(user, user.id == '${helper.userId}')` });
  const below = helper.byKey.as(helper.keys, organizationId);
  const asked = { otpType: 'OTP_TYPE_EMAIL', contact: person.email, appName: 'App' };
  const theirs = open(await below.submit('INIT_OTP_V3', asked));
  assert.deepEqual(await statuses(person, { activityId: theirs.id }), []);
  assert.equal((await statuses({ byKey: below }, { activityId: theirs.id })).length, 1);
});
