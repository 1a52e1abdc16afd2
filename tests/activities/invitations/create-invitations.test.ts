import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { count, refusedToNobody } from '../support.ts';
import { invitation, linkOf, mailsOf } from './support.ts';

const instance = await sharedInstance({ LIMIT_INVITATIONS: '4', BASE_URL: 'https://keys.example.com/' });
const { root } = instance;
const me = instance.credentials.userId;

const TYPE = 'CREATE_INVITATIONS';
const KEY = 'createInvitationsResult';
const one = (name: string, more: object = {}) => ({ invitations: [invitation(name, me, more)] });

const usersNamed = async (name: string) =>
  (await root.query('list_users')).body.users.filter((user: { userName: string }) => user.userName === name);

test('invited people are users without a credential, and each gets a mail with a link', async () => {
  const { userTagId } = resultOf(
    await root.submit('CREATE_USER_TAG', { userTagName: 'guests', userIds: [] }),
    'createUserTagResult',
  );
  const ada = invitation('Ada', me, { receiverUserTags: [userTagId], accessType: 'ACCESS_TYPE_ALL' });
  const answer = await root.submit(TYPE, { invitations: [ada, invitation('Bo', me)] });
  const { invitationIds } = resultOf(answer, KEY);
  assert.equal(invitationIds.length, 2);
  assert.equal(new Set(invitationIds).size, 2);
  const [user] = await usersNamed('Ada');
  assert.deepEqual([user.userEmail, user.userTags, user.apiKeys, user.authenticators], ['ada@example.com', [userTagId], [], []]);

  const mails = await mailsOf(instance);
  assert.deepEqual(
    mails.map((mail) => [mail.to, /Hello (\w+),/.exec(mail.text)?.[1], linkOf(mail).invitationId]),
    [
      ['ada@example.com', 'Ada', invitationIds[0]],
      ['bo@example.com', 'Bo', invitationIds[1]],
    ],
  );
  const [mail] = mails;
  assert.equal(mail!.subject, 'Root user invites you to Root organization');
  assert.ok(mail!.link.startsWith('https://keys.example.com/accept-invitation#'), mail!.link);
  const { secret, ...link } = linkOf(mail!);
  const ids = { organizationId: root.organizationId, invitationId: invitationIds[0], userId: user.userId };
  assert.deepEqual(link, { ...ids, organizationName: 'Root organization', email: 'ada@example.com' });
  assert.equal(Buffer.from(secret, 'base64url').length, 32);
  assert.notEqual(secret, linkOf(mails[1]!).secret);

  const [row] = await instance.raw('SELECT * FROM invitations WHERE id = $1', invitationIds[0]);
  assert.deepEqual([row!.user_id, row!.access_type, row!.status], [user.userId, 'ACCESS_TYPE_ALL', 'INVITATION_STATUS_CREATED']);
  assert.match(mail!.text, /valid for 7 days/);
  const [kept] = await instance.raw('SELECT access_type FROM users WHERE id = $1', user.userId);
  assert.equal(kept!.access_type, 'ACCESS_TYPE_ALL');
});

test('an unknown tag or sender is refused, and nobody is invited with it', async () => {
  const before = [await count(root, 'list_users', 'users'), (await mailsOf(instance)).length];
  const sub = await instance.newSubOrganization('Below', 1, 1);
  for (const senderUserId of [NOBODY, sub.userIds[0]!])
    refused(await root.submit(TYPE, { invitations: [invitation('Kept', me), invitation('Not', senderUserId)] }), [
      404,
      'UNSPECIFIED',
      new RegExp(`^user not found: parameters\\.invitations\\[1\\]\\.senderUserId names ${senderUserId}$`),
    ]);
  refused(await root.submit(TYPE, one('Tagged', { receiverUserTags: [NOBODY] })), [
    404,
    'UNSPECIFIED',
    /user tag not found: parameters\.invitations\[0\]\.receiverUserTags/,
  ]);
  assert.deepEqual([await count(root, 'list_users', 'users'), (await mailsOf(instance)).length], before);
});

test('the limit counts open invitations, and holds when several are sent at once', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Crowded', 1, 1);
  const client = clients[0]!;
  const many = (names: string[]) => ({ invitations: names.map((name) => invitation(name, userIds[0]!)) });
  const tooMany: [number, string, RegExp] = [429, 'UNSPECIFIED', /limit of 4 open invitations \(LIMIT_INVITATIONS\)/];
  refused(await client.submit(TYPE, many(['a', 'b', 'c', 'd', 'e'])), tooMany);
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => client.submit(TYPE, many([`at once ${i}`]))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 429, 429]);
  assert.equal(await count(client, 'list_users', 'users'), 5);
  const made = answers.find(({ status }) => status === 200)!;
  const [invitationId] = resultOf(made, KEY).invitationIds;
  resultOf(await client.submit('DELETE_INVITATION', { invitationId }), 'deleteInvitationResult');
  resultOf(await client.submit(TYPE, many(['again'])), KEY);
});

test('users have their limit too', async () => {
  const tight = await sharedInstance({ LIMIT_USERS: '2' });
  const { userId } = tight.credentials;
  refused(await tight.root.submit(TYPE, { invitations: [invitation('a', userId), invitation('b', userId)] }), [
    429,
    'UNSPECIFIED',
    /limit of 2 users \(LIMIT_USERS\)/,
  ]);
  resultOf(await tight.root.submit(TYPE, { invitations: [invitation('a', userId)] }), KEY);
});

test('a user without permission is refused and invites nobody, and a policy can allow it', async () => {
  await refusedToNobody(instance, TYPE, one('Forbidden'));
  assert.deepEqual(await usersNamed('Forbidden'), []);
  const host = await instance.newUser('Host');
  const condition = "activity.kind == 'CREATE_INVITATIONS' && activity.resource == 'INVITATION' && activity.action == 'CREATE'";
  const consensus = `approvers.any(user, user.id == '${host.userId}')`;
  resultOf(
    await root.submit('CREATE_POLICY_V3', {
      policyName: 'hosts invite',
      effect: 'EFFECT_ALLOW',
      condition,
      consensus,
      notes: '',
    }),
    'createPolicyResult',
  );
  resultOf(await host.client.submit(TYPE, one('Welcome')), KEY);
});

test('bad parameters are named', async () => {
  const at = 'parameters.invitations[0]';
  await refusesEach(root, TYPE, [
    [one('Bad', { receiverUserEmail: 'none' }), `${at}.receiverUserEmail`, /invalid email address/, 'INVALID_EMAIL'],
  ]);
});

test('an invited user cannot be a root user before the invitation is accepted', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Quorum', 1, 1);
  const client = clients[0]!;
  resultOf(
    await client.submit(TYPE, { invitations: [invitation('Later', userIds[0]!, { accessType: 'ACCESS_TYPE_ALL' })] }),
    KEY,
  );
  const { users } = (await client.query('list_users')).body;
  const { userId } = users.find((user: { userName: string }) => user.userName === 'Later');
  const quorum = { threshold: 1, userIds: [userIds[0], userId] };
  refused(
    await client.submit('UPDATE_ROOT_QUORUM', quorum),
    [400, 'REQUEST_INVALID', /has not accepted their invitation/],
    'parameters.userIds',
  );
  const keys = newKeys();
  const apiKeys = [{ apiKeyName: 'given', publicKey: keys.publicKey, curveType: 'API_KEY_CURVE_P256' }];
  resultOf(await client.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult');
  resultOf(await client.submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
});

test('without a way to send mail nobody is invited', async () => {
  const silent = await sharedInstance({ DEV_OUTBOX: '' });
  const { userId } = silent.credentials;
  refused(await silent.root.submit(TYPE, { invitations: [invitation('a', userId)] }), [
    400,
    'EMAIL_SENDING_DISABLED',
    /^email sending is disabled: .*SMTP_URL/,
  ]);
  assert.equal(await count(silent.root, 'list_users', 'users'), 1);
});
