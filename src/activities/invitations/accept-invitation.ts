import { z } from 'zod';
import { requireRoomForPasskeys } from '../../domain/credentials/authenticators.ts';
import { invitationSecret, notInvited } from '../../domain/people/invitations.ts';
import { markEmailVerified } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import type { Arrival } from '../../engine/context.ts';
import { isOpen } from '../../model/invitation.ts';
import { IdOut } from '../../wire/common.ts';
import { type AcceptInvitation, params } from './accept-invitation.history.ts';

const shape = z.object({ invitationId: IdOut, userId: IdOut });

export const acceptInvitation = activity<AcceptInvitation, typeof shape, Arrival>({
  kind: 'ACCEPT_INVITATION',
  resource: 'INVITATION',
  action: 'UPDATE',
  summary: 'Accept an invitation with a passkey; the challenge of its registration is the one-time secret of the link',
  params,
  secrets: [
    'authenticator.challenge',
    'authenticator.attestation.clientDataJson',
    'authenticator.attestation.response.clientDataJson',
  ],
  submitters: { changesCredentialsOf: ({ userId }) => userId },
  result: { key: 'acceptInvitationResult', shape },
  errors: ['REQUEST_INVALID', notInvited, requireRoomForPasskeys],
  async admit({ ctx: { read, vault, now, organization, organizationId }, intent: { invitationId, userId, authenticator } }) {
    const invitation = await read.invitations.get(organizationId, invitationId);
    // Compared also without a stored invitation, so that all refusals take the same time.
    const name = invitationSecret({ organizationId, id: invitationId });
    const knows = vault.matches(name, invitation?.secret ?? undefined, authenticator.challenge);
    const user = await read.users.get(organizationId, userId);
    const isTheirs = knows && isOpen(invitation, now) && invitation.userId === userId;
    if (!isTheirs || user === undefined || user.frozen || organization === undefined) throw notInvited();
    return { organization, user, passkey: authenticator, field: 'parameters.authenticator' };
  },
  async execute({ ctx, intent: { invitationId, userId }, subject: { user, authenticator } }) {
    const { organization, store, now } = ctx;
    await requireRoomForPasskeys(ctx, user, 1);
    if (!(await store.invitations.settle(organization.id, invitationId, 'INVITATION_STATUS_ACCEPTED', now))) throw notInvited();
    if (!(await store.authenticators.insert(authenticator))) throw notInvited();
    // The secret came by mail to the address of the invitation.
    const invitation = await store.invitations.get(organization.id, invitationId);
    await markEmailVerified(ctx, user, invitation!.email);
    return { invitationId, userId };
  },
});
