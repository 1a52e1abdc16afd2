import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getSessionProfile } from '../../../src/queries/session-profiles/get-session-profile.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });

const profile = { sessionProfileName: 'One', scope: 'false' };
const make = async (client = instance.root) =>
  resultOf(await client.submit('CREATE_SESSION_PROFILE', profile), 'createSessionProfileResult');

test('a profile, also for its sub-organizations', async () => {
  const named = await make();
  const { body } = await instance.root.query('get_session_profile', named);
  assert.deepEqual(getSessionProfile.result.parse(body), body, 'the answer has its declared shape');
  const { createdAt, updatedAt, ...shown } = body.sessionProfile;
  assert.deepEqual(shown, { ...named, ...profile });
  const { clients, organizationId } = await instance.newSubOrganization('Below', 1, 1);
  assert.deepEqual((await clients[0]!.query('get_session_profile', named)).body, body);
  const parent = instance.root.as(instance.root.keys, organizationId);
  assert.deepEqual((await parent.query('get_session_profile', named)).body, body);
});

test('a missing profile, and one of another organization', async () => {
  const { client } = await newTopLevel(instance, 'Elsewhere');
  const theirs = await make(client);
  for (const sessionProfileId of [NOBODY, theirs.sessionProfileId])
    refused(await instance.root.query('get_session_profile', { sessionProfileId }), [
      404,
      'UNSPECIFIED',
      /session profile not found/,
    ]);
});
