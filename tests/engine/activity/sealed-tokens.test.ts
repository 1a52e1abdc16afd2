import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { generateP256KeyPair } from '@turnkey/crypto';
import { activities } from '../../../src/activities/index.ts';
import { newToken } from '../../activities/tokens.ts';
import { type Answer, type Client, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedIssuer } from '../../support/oidc.ts';
import { leavesOf } from '../../support/world/fields.ts';

/** Secrets in parameters and results: those who sent them see them in their own activity. The database, lists and others do not have them. */
const { issuer, env } = await sharedIssuer();
const instance = await sharedInstance(env);
const { root } = instance;
let other: Client;

before(async () => {
  other = (await instance.newUser('Other')).client;
});

const nameOf = { CREATE_OAUTH_PROVIDERS_V2: 'createOauthProvidersIntentV2', CREATE_USERS_V4: 'createUsersIntentV4' };

/** The intent and the message of the first vote, as a user sees them. */
async function seenBy(client: Client, done: Answer, intentKey: string) {
  const { activity } = (await client.query('get_activity', { activityId: done.body.activity.id })).body;
  return { intent: activity.intent[intentKey], message: activity.votes[0].message };
}

const listedFor = async (client: Client): Promise<string> =>
  (await client.query('list_activities', { paginationOptions: { limit: '100' } })).text;

const bodyOf = async (done: Answer): Promise<string> => {
  const [row] = await instance.raw('SELECT body FROM activities WHERE id = $1', done.body.activity.id);
  return (row!.body as Buffer).toString('latin1');
};

async function isHidden(done: Answer, intentKey: string, token: string, pick: (intent: never) => string): Promise<void> {
  assert.equal(done.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  assert.ok(!(await bodyOf(done)).includes(token));
  const [mine, theirs] = [await seenBy(root, done, intentKey), await seenBy(other, done, intentKey)];
  assert.equal(pick(mine.intent as never), token);
  assert.equal(pick(theirs.intent as never), '');
  assert.ok(mine.message.includes(token));
  assert.equal(theirs.message, '');
  const list = await listedFor(root);
  assert.ok(list.includes(done.body.activity.id));
  assert.ok(!list.includes(token));
}

test('of every provider of every user', async () => {
  const oidcToken = issuer.signNow({ sub: 'second' });
  const oauthProviders = [{ providerName: 'P', oidcToken }];
  const users = [userWith('One', [newKeys()], { userTags: [] }), userWith('Two', [newKeys()], { oauthProviders, userTags: [] })];
  const done = await root.submit('CREATE_USERS_V4', { users });
  type Intent = { users: { oauthProviders: { oidcToken: string }[] }[] };
  await isHidden(done, nameOf.CREATE_USERS_V4, oidcToken, (intent: Intent) => intent.users[1]!.oauthProviders[0]!.oidcToken);
  const again = issuer.signNow({ sub: 'third' });
  const [, userId] = resultOf(done, 'createUsersResult').userIds;
  const added = await root.submit('CREATE_OAUTH_PROVIDERS_V2', {
    userId,
    oauthProviders: [{ providerName: 'Q', oidcToken: again }],
  });
  type Added = { oauthProviders: { oidcToken: string }[] };
  await isHidden(added, nameOf.CREATE_OAUTH_PROVIDERS_V2, again, (intent: Added) => intent.oauthProviders[0]!.oidcToken);
});

test('a verification token, also in a refused request', async () => {
  const { userId } = await instance.newUser('Contact');
  const { jwt } = newToken(instance, 'somebody@example.com', newKeys());
  const parameters = { userId, userEmail: 'somebody@example.com', verificationToken: jwt };
  const done = await root.submit('UPDATE_USER_EMAIL', parameters);
  await isHidden(done, 'updateUserEmailIntent', jwt, (intent: { verificationToken: string }) => intent.verificationToken);
  const refused = await root.submit('UPDATE_USER_EMAIL', parameters);
  assert.equal(refused.status, 400);
  const ours = refused.body.details.at(-1);
  const [row] = await instance.raw('SELECT body FROM activities WHERE id = $1', ours.activityId);
  assert.ok(!(row!.body as Buffer).toString('latin1').includes(jwt));
});

test('a bundle in a result, which is sealed to a client: all who may read the activity see it', async () => {
  const { publicKeyUncompressed: targetPublicKey } = generateP256KeyPair();
  const done = await root.submit('CREATE_READ_WRITE_SESSION_V2', { targetPublicKey });
  const { credentialBundle } = resultOf(done, 'createReadWriteSessionResultV2');
  const { id: activityId } = done.body.activity;
  const seen = async (client: Client) =>
    (await client.query('get_activity', { activityId })).body.activity.result.createReadWriteSessionResultV2.credentialBundle;
  assert.equal(await seen(root), credentialBundle);
  assert.equal(await seen(other), credentialBundle);
  const list = await listedFor(root);
  assert.ok(list.includes(activityId));
  assert.ok(!list.includes(credentialBundle));
  const [row] = await instance.raw('SELECT result FROM activities WHERE id = $1', activityId);
  assert.ok(!(row!.result as string).includes(credentialBundle));
});

test('a body without a token is shown to all, and stored as it was signed', async () => {
  const done = await root.submit('CREATE_USERS_V4', { users: [userWith('Plain', [newKeys()], { userTags: [] })] });
  const { message } = await seenBy(other, done, nameOf.CREATE_USERS_V4);
  assert.equal(message, await bodyOf(done));
  assert.match(message, /"Plain"/);
});

/** With any of these a request logs its sender in, or proves a contact or an account. */
const SECRET_FIELDS = new Set(['verificationToken', 'oidcToken', 'otpCode', 'encryptedOtpBundle', 'authCode', 'codeVerifier']);

test('each parameter that logs its sender in, of every activity, is one of its secrets', () => {
  for (const { params, versions, secrets } of activities)
    for (const [type, { version }] of versions)
      for (const { path } of leavesOf(params.schema(version))) {
        const members = path.filter((part) => part !== 0);
        const place = members.join('.');
        if (SECRET_FIELDS.has(members.at(-1)!)) assert.ok(secrets.includes(place), `${type}: name ${place} in secrets`);
      }
});
