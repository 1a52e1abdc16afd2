import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, newKeys, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { invitation } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;
const me = instance.credentials.userId;

const TYPE = 'DELETE_INVITATION';
const KEY = 'deleteInvitationResult';
const NOT_FOUND: [number, string, RegExp] = [404, 'UNSPECIFIED', /^open invitation not found: parameters\.invitationId names /];

type Invited = { invitationId: string; userId: string };

async function invited(name: string, client: Client = root, sender = me): Promise<Invited> {
  const made = await client.submit('CREATE_INVITATIONS', { invitations: [invitation(name, sender)] });
  const [invitationId] = resultOf(made, 'createInvitationsResult').invitationIds;
  const [row] = await instance.raw('SELECT user_id FROM invitations WHERE id = $1', invitationId);
  return { invitationId, userId: String(row!.user_id) };
}

const statusOf = async (invitationId: string) => {
  const [row] = await instance.raw('SELECT status, secret FROM invitations WHERE id = $1', invitationId);
  return [row!.status, row!.secret];
};

const status = async ({ userId }: Invited): Promise<number> => (await root.query('get_user', { userId })).status;

test('an open invitation is revoked once, its secret is dropped, and its user goes', async () => {
  const guest = await invited('Guest');
  const { invitationId } = guest;
  assert.equal(await status(guest), 200);
  assert.deepEqual(resultOf(await root.submit(TYPE, { invitationId }), KEY), { invitationId });
  assert.deepEqual(await statusOf(invitationId), ['INVITATION_STATUS_REVOKED', null]);
  assert.equal(await status(guest), 404);
  refused(await root.submit(TYPE, { invitationId }), NOT_FOUND);
});

test('a user who was given a credential stays', async () => {
  const guest = await invited('Keyed');
  const apiKeys = [{ apiKeyName: 'given', publicKey: newKeys().publicKey, curveType: 'API_KEY_CURVE_P256' }];
  resultOf(await root.submit('CREATE_API_KEYS_V2', { userId: guest.userId, apiKeys }), 'createApiKeysResult');
  resultOf(await root.submit(TYPE, { invitationId: guest.invitationId }), KEY);
  assert.equal(await status(guest), 200);
});

test('deleting the invited user revokes the invitation', async () => {
  const { invitationId, userId } = await invited('Gone');
  resultOf(await root.submit('DELETE_USERS', { userIds: [userId] }), 'deleteUsersResult');
  assert.deepEqual(await statusOf(invitationId), ['INVITATION_STATUS_REVOKED', null]);
  refused(await root.submit(TYPE, { invitationId }), NOT_FOUND);
});

test('an unknown invitation, and one of another organization, are answered alike', async () => {
  const { clients, userIds, organizationId } = await instance.newSubOrganization('Other', 1, 1);
  const other = await invited('Theirs', clients[0]!, userIds[0]);
  for (const invitationId of [NOBODY, other.invitationId])
    refused(await root.submit(TYPE, { invitationId }), [404, 'UNSPECIFIED', new RegExp(`names ${invitationId}$`)]);
  assert.equal((await statusOf(other.invitationId))[0], 'INVITATION_STATUS_CREATED', organizationId);
});
