import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_PROFILES } from '../../../src/model/session-profile.ts';
import { getSessionProfiles } from '../../../src/queries/session-profiles/get-session-profiles.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1', LIMIT_SESSION_PROFILES: '200' });

const BUILT_IN = BUILT_IN_PROFILES.map(({ id }) => id);

async function profileIds(client: Client): Promise<string[]> {
  const { sessionProfiles } = (await client.query('get_session_profiles')).body;
  return sessionProfiles.map(({ sessionProfileId }: { sessionProfileId: string }) => sessionProfileId);
}

test('built-in profiles, then all others in the order of their creation, also for sub-organizations, and none of others', async () => {
  const { clients } = await instance.newSubOrganization('Below', 1, 1);
  for (const client of [instance.root, clients[0]!]) assert.deepEqual(await profileIds(client), BUILT_IN);
  const made: string[] = [];
  for (let i = 0; i < 105; i++) {
    const parameters = {
      sessionProfileName: `Profile ${i}`,
      scope: 'false',
      ...(i % 2 && { expirationSeconds: '60', notes: '' }),
    };
    const answer = await instance.root.submit('CREATE_SESSION_PROFILE', parameters);
    made.push(resultOf(answer, 'createSessionProfileResult').sessionProfileId);
  }
  for (const client of [instance.root, clients[0]!]) {
    const { body } = await client.query('get_session_profiles');
    assert.deepEqual(getSessionProfiles.result.parse(body), body, 'the answer has its declared shape');
    assert.deepEqual(
      body.sessionProfiles.map(({ sessionProfileId }: { sessionProfileId: string }) => sessionProfileId),
      [...BUILT_IN, ...made],
    );
    const [first, second] = body.sessionProfiles.slice(BUILT_IN.length);
    assert.deepEqual([first.expirationSeconds, second.expirationSeconds, second.notes], [undefined, '60', '']);
  }
  const { client } = await newTopLevel(instance, 'Elsewhere');
  assert.deepEqual(await profileIds(client), BUILT_IN);
});
