import { z } from 'zod';
import { requireRoom } from '../../domain/limits/limits.ts';
import { spendMessages } from '../../domain/messages/message-limits.ts';
import { requireMail } from '../../domain/messages/messages.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { invitationLink, invitationSecret } from '../../domain/people/invitations.ts';
import { addTags } from '../../domain/people/tags.ts';
import { userNamed } from '../../domain/people/user-by-id.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { INVITATION_MS, type Invitation } from '../../model/invitation.ts';
import type { InvitationMail } from '../../model/message.ts';
import { newUser } from '../../model/user.ts';
import { IdOut } from '../../wire/common.ts';
import { InvitationParams } from '../../wire/invitations.ts';

export const createInvitations = activity({
  kind: 'CREATE_INVITATIONS',
  resource: 'INVITATION',
  action: 'CREATE',
  usage: { messages: ({ invitations }) => invitations.length },
  summary: 'Invite people by email: each gets a user, and a link to add a passkey within seven days',
  custody: 'one-time',
  params: v1(z.object({ invitations: z.array(InvitationParams).min(1, 'must have at least one invitation').max(100) })),
  result: { key: 'createInvitationsResult', shape: z.object({ invitationIds: z.array(IdOut) }) },
  errors: ['REQUEST_INVALID', emailOf, requireMail, userNamed, requireRoom, spendMessages, addTags],
  check({ intent: { invitations } }) {
    for (const [i, { receiverUserEmail }] of invitations.entries())
      emailOf(receiverUserEmail, `parameters.invitations[${i}].receiverUserEmail`);
  },
  // Only the mail contains the link.
  prepare: async ({ ctx }) => requireMail(ctx),
  async execute({ ctx, intent: { invitations } }) {
    const { organization, store, ids, now, limits, vault } = ctx;
    const have = (counted: 'userCount' | 'invitationCount') => store.organizations.count(organization.id, counted);
    requireRoom(await have('invitationCount'), invitations.length, limits.invitations, 'open invitations', 'LIMIT_INVITATIONS');
    requireRoom(await have('userCount'), invitations.length, limits.users, 'users', 'LIMIT_USERS');
    const emails = invitations.map(({ receiverUserEmail }, i) =>
      emailOf(receiverUserEmail, `parameters.invitations[${i}].receiverUserEmail`),
    );
    await spendMessages(ctx, ...emails);
    const invitationIds: string[] = [];
    for (const [i, wanted] of invitations.entries()) {
      const at = `parameters.invitations[${i}]`;
      const sender = await userNamed(store, organization, wanted.senderUserId, `${at}.senderUserId`);
      const { receiverUserName: name, receiverUserTags: tags, accessType } = wanted;
      const email = emails[i]!;
      const owner = { organizationId: organization.id, parentId: organization.parentId };
      const user = newUser({ ...owner, id: ids.next(), name, email, accessType, createdAt: now });
      await store.users.insert(user);
      await addTags(ctx, organization.id, 'user', user.id, tags, `${at}.receiverUserTags`);
      const place = { organizationId: organization.id, id: ids.next() };
      const { secret, hash } = vault.newSecret(invitationSecret(place));
      const invitation: Invitation = {
        ...place,
        userId: user.id,
        senderUserId: sender.id,
        userName: name,
        email,
        tags,
        accessType,
        status: 'INVITATION_STATUS_CREATED',
        secret: hash,
        expiresAt: now + INVITATION_MS,
        createdAt: now,
        updatedAt: now,
      };
      await store.invitations.insert(invitation);
      invitationIds.push(invitation.id);
      const mail: InvitationMail = {
        template: 'invitation',
        to: email,
        invitationId: invitation.id,
        userName: name,
        senderName: sender.name,
        organizationName: organization.name,
        link: invitationLink(ctx.baseUrl, invitation, organization.name, secret),
        expiresAt: invitation.expiresAt,
      };
      ctx.after({ topic: 'mail', payload: mail, sealed: true, expiresAt: mail.expiresAt });
    }
    return { invitationIds };
  },
});
