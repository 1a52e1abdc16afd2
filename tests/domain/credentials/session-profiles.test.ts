import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateP256KeyPair } from '@turnkey/crypto';
import { apiKeysOf, claimsOf, login } from '../../activities/sessions/support.ts';
import { type Client, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { keysIn } from '../../support/published.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { newTopLevel } from '../../support/world/homes.ts';

const instance = await sharedInstance({ ALLOW_CREATE_ORGANIZATION: '1' });
const { root, url } = instance;

const SCOPE = "activity.kind in ['CREATE_USER_TAG', 'STAMP_LOGIN', 'CREATE_READ_WRITE_SESSION']";

const newProfile = async (client: Client, more: object = {}): Promise<string> => {
  const parameters = { sessionProfileName: 'Tagging', scope: SCOPE, ...more };
  return resultOf(await client.submit('CREATE_SESSION_PROFILE', parameters), 'createSessionProfileResult').sessionProfileId;
};

const WRONG = [404, 'UNSPECIFIED', /session profile not found: parameters.sessionProfileId/] as [number, string, RegExp];
const DENIED = [403, 'REQUEST_NOT_AUTHORIZED', /No policies evaluated to outcome: Allow/] as [number, string, RegExp];
const mayTag = async (client: Client) =>
  resultOf(
    await client.submit('CREATE_USER_TAG', { userTagName: `by ${newKeys().publicKey}`, userIds: [] }),
    'createUserTagResult',
  );
const mayNotName = async (client: Client) =>
  refused(await client.submit('UPDATE_ORGANIZATION_NAME', { organizationName: 'x' }), DENIED);

test('a session has the profile that its login asks for: in its token, its row, and all that it submits', async () => {
  const sessionProfileId = await newProfile(root);
  const { client, session } = await login(root, { sessionProfileId });
  const { session_type, session_profile_id, scope, user_id } = await claimsOf(url, session);
  assert.deepEqual([session_type, session_profile_id, scope], ['Tagging', sessionProfileId, SCOPE]);
  await mayTag(client);
  await mayNotName(client);
  const mine = (await apiKeysOf(root, user_id)).find(({ credential }) => credential.publicKey === client.keys.publicKey);
  assert.equal(mine.credential.sessionProfileId, sessionProfileId);
});

test('it lives as long as the shorter of the two says', async () => {
  const short = await newProfile(root, { expirationSeconds: '60' });
  const unsaid = await newProfile(root);
  const lifeOf = async (more: object) => {
    const { session } = await login(root, more);
    return Math.round((await claimsOf(url, session)).exp - instance.clock.now() / 1000);
  };
  const near = (seconds: number, wanted: number) => assert.ok(Math.abs(seconds - wanted) <= 5, `${seconds}, not ${wanted}`);
  near(await lifeOf({ sessionProfileId: short }), 60);
  near(await lifeOf({ sessionProfileId: short, expirationSeconds: '30' }), 30);
  near(await lifeOf({ sessionProfileId: short, expirationSeconds: '600' }), 60);
  near(await lifeOf({ sessionProfileId: unsaid, expirationSeconds: '600' }), 600);
  near(await lifeOf({ sessionProfileId: unsaid }), 900);
});

test('no session becomes wider by logging in again', async () => {
  const sessionProfileId = await newProfile(root, { expirationSeconds: '600' });
  const wider = await newProfile(root, { scope: 'true' });
  const { client } = await login(root, { sessionProfileId });
  const next = await login(client);
  assert.equal((await claimsOf(url, next.session)).session_profile_id, sessionProfileId);
  await mayNotName(next.client);
  await login(client, { sessionProfileId });
  const asked = { publicKey: newKeys().publicKey, sessionProfileId: wider };
  const field = 'parameters.sessionProfileId';
  refused(await client.submit('STAMP_LOGIN', asked), [400, 'REQUEST_INVALID', /must be the profile of the session/], field);

  const target = generateP256KeyPair();
  const made = await client.submit('CREATE_READ_WRITE_SESSION_V2', { targetPublicKey: target.publicKeyUncompressed });
  const { credentialBundle } = resultOf(made, 'createReadWriteSessionResultV2');
  const issued = root.as(keysIn(credentialBundle, target));
  await mayTag(issued);
  await mayNotName(issued);
});

test("sub-organizations use their parent's profiles, and nobody those of others", async () => {
  const sessionProfileId = await newProfile(root);
  const sub = await instance.newSubOrganization('Profiled', 1, 1);
  const [own] = sub.clients as [Client];
  const { client, session } = await login(own.as(own.keys, root.organizationId), { sessionProfileId });
  assert.equal((await claimsOf(url, session)).organization_id, sub.organizationId);
  const below = client.as(client.keys, sub.organizationId);
  await mayTag(below);
  await mayNotName(below);
  const elsewhere = (await newTopLevel(instance, 'Elsewhere')).client;
  const theirs = await newProfile(elsewhere);
  for (const asking of [root, own])
    for (const id of [theirs, NOBODY]) {
      const answer = await asking.submit('STAMP_LOGIN', { publicKey: newKeys().publicKey, sessionProfileId: id });
      refused(answer, WRONG);
    }
});
