import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1', LIMIT_SESSION_PROFILES: '3' });

const TYPE = 'CREATE_SESSION_PROFILE';
const KEY = 'createSessionProfileResult';
const sample = samples(TYPE) as { scope: string };

test('a profile is as it was given, and its parts may be left out', async () => {
  const { sessionProfileId } = resultOf(await instance.root.submit(TYPE, sample), KEY);
  const { sessionProfile } = (await instance.root.query('get_session_profile', { sessionProfileId })).body;
  const { createdAt, updatedAt, ...shown } = sessionProfile;
  assert.deepEqual(shown, { sessionProfileId, ...sample });
  assert.deepEqual(updatedAt, createdAt);
  const least = { sessionProfileName: 'Sample', scope: ' true ' };
  const again = resultOf(await instance.root.submit(TYPE, least), KEY);
  const { body } = await instance.root.query('get_session_profile', again);
  assert.deepEqual(Object.keys(body.sessionProfile).length, 5);
  assert.equal(body.sessionProfile.scope, ' true ');
});

test('a user without permission is refused, and a policy permits', async () => {
  await refusedToNobody(instance, TYPE, sample);
  const condition = "activity.resource == 'SESSION_PROFILE' && activity.action == 'CREATE'";
  const policy = { policyName: 'profiles', effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const { client } = await instance.newUser('Permitted');
  resultOf(await client.submit(TYPE, sample), KEY);
});

test('an organization has so many, and is told that none can be deleted', async () => {
  const over = [429, 'UNSPECIFIED', /limit of 3 session profiles \(LIMIT_SESSION_PROFILES\): ask the operator/] as const;
  refused(await instance.root.submit(TYPE, sample), [...over]);
});

test('a sub-organization has the profiles of its parent, and makes none', async () => {
  const { clients } = await instance.newSubOrganization('Below', 1, 1);
  refused(await clients[0]!.submit(TYPE, sample), [400, 'INVALID_ACTIVITY_CALLER', /./]);
});

test('an invalid condition is refused with the place of the mistake, before it waits and after', async () => {
  const { client } = await newTopLevel(instance, 'Mistakes');
  await refusesEach(client, TYPE, [
    [
      { ...sample, scope: 'activity.kind ==' },
      'parameters.scope',
      /^invalid scope: Expression cannot be evaluated: .*line 1, column 17/,
    ],
    [{ ...sample, scope: 'activity.kind' }, 'parameters.scope', /^invalid scope: .*bool/],
    [{ ...sample, scope: 'nothing.there == 1' }, 'parameters.scope', /^invalid scope: .*nothing/],
    [{ ...sample, scope: 'approvers.count() > 1' }, 'parameters.scope', /^invalid scope: .*approvers/],
    [{ ...sample, scope: '('.repeat(100) }, 'parameters.scope', /^invalid scope: .*64/],
    [{ ...sample, scope: ' ' }, 'parameters.scope', /must not be blank/],
    [{ ...sample, scope: '' }, 'parameters.scope', /must not be blank/],
    [{ ...sample, expirationSeconds: '0' }, 'parameters.expirationSeconds', /positive whole number/],
    [{ ...sample, expirationSeconds: 900 }, 'parameters.expirationSeconds', /./],
  ]);
});
