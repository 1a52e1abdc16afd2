import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { hasCredentials } from '../../domain/people/invitations.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteInvitation = activity({
  kind: 'DELETE_INVITATION',
  resource: 'INVITATION',
  action: 'DELETE',
  summary: 'Revoke an invitation that was not accepted; its user is deleted unless the user has a credential',
  params: v1(z.object({ invitationId: Id })),
  result: { key: 'deleteInvitationResult', shape: z.object({ invitationId: IdOut }) },
  errors: ['NOT_FOUND'],
  async execute({ ctx: { organization, store, now }, intent: { invitationId } }) {
    const invitation = await store.invitations.get(organization.id, invitationId);
    const revoked =
      invitation && (await store.invitations.settle(organization.id, invitationId, 'INVITATION_STATUS_REVOKED', now));
    if (!revoked) throw new ApiError('NOT_FOUND', `open invitation not found: parameters.invitationId names ${invitationId}`);
    const { userId } = invitation;
    const hasCredential = await hasCredentials(store, organization.id, userId);
    const isRoot = organization.rootQuorum.userIds.includes(userId);
    if (!hasCredential && !isRoot) await store.users.remove(organization.id, userId, now);
    return { invitationId };
  },
});
