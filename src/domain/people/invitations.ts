import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { SecretName } from '../../custody/types.ts';
import type { Invitation } from '../../model/invitation.ts';
import type { Reader } from '../../store/types.ts';

/** The name under which the keyed hash of an invitation's secret is made. */
export const invitationSecret = ({ organizationId, id }: Pick<Invitation, 'organizationId' | 'id'>): SecretName => ({
  organizationId,
  id,
  purpose: 'invitation',
});

/** One text for every reason, so that it reveals nothing about what exists. */
export const notInvited = () =>
  new ApiError(
    'UNAUTHENTICATED',
    'authentication failed: this invitation cannot be accepted. It may have been used, been revoked or have expired: ask for a new one',
  );
notInvited.errors = errorsOf('UNAUTHENTICATED');

/**
 * A link to the page in `console/public/accept-invitation.html`. The secret follows the `#`, which no request carries, so
 * servers and their logs do not see it. The organization's name and the email are for the reader.
 */
export function invitationLink(baseUrl: string, invitation: Invitation, organizationName: string, secret: string): string {
  const { organizationId, id: invitationId, userId, email } = invitation;
  const carried = { organizationId, invitationId, userId, organizationName, email, secret };
  return `${baseUrl}/accept-invitation#${new URLSearchParams(carried)}`;
}

export async function hasCredentials(read: Reader, organizationId: string, userId: string): Promise<boolean> {
  for (const kind of ['credentials', 'authenticators', 'oauthProviders'] as const)
    if ((await read[kind].listByUser(organizationId, userId)).length > 0) return true;
  return false;
}

/** Whether a user was invited, and has no credential yet. */
export async function awaitsInvited(read: Reader, organizationId: string, userId: string): Promise<boolean> {
  const invitation = await read.invitations.ofUser(organizationId, userId);
  if (invitation?.status !== 'INVITATION_STATUS_CREATED') return false;
  return !(await hasCredentials(read, organizationId, userId));
}
