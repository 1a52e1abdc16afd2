import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';
import { agreed, refusedToNobody, waitsForBoth } from '../support.ts';

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

test('what is no condition is refused with the place of the mistake, before it waits and after', async () => {
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
    [{ ...sample, scope: 'x'.repeat(16_385) }, 'parameters.scope', /at most 16384 characters/],
    [{ ...sample, scope: undefined }, 'parameters.scope', /is required/],
    [{ ...sample, sessionProfileName: undefined }, 'parameters.sessionProfileName', /is required/],
    [{ ...sample, sessionProfileName: '' }, 'parameters.sessionProfileName', /must not be empty/],
    [{ ...sample, expirationSeconds: '0' }, 'parameters.expirationSeconds', /positive whole number/],
    [{ ...sample, expirationSeconds: 900 }, 'parameters.expirationSeconds', /./],
    [{ ...sample, notes: 'x'.repeat(4097) }, 'parameters.notes', /at most 4096 characters/],
  ]);
});

test('waits for the second root user', async () => {
  const { client, userId } = await newTopLevel(instance, 'Two');
  const keys = newKeys();
  const users = [{ ...userWith('Second', [keys]), userTags: [] }];
  const { userIds } = resultOf(await client.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  await client.submit('UPDATE_ROOT_QUORUM', { threshold: 2, userIds: [userId, ...userIds] });
  const clients = [client, client.as(keys)] as const;
  await waitsForBoth({ clients }, TYPE, sample, KEY);
  const wrong = { ...sample, scope: 'activity.kind' };
  refused(await client.submit(TYPE, wrong), [400, 'REQUEST_INVALID', /^invalid scope/]);
  assert.equal((await agreed({ clients }, TYPE, sample)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});
