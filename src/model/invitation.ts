export type InvitationStatus = 'INVITATION_STATUS_CREATED' | 'INVITATION_STATUS_ACCEPTED' | 'INVITATION_STATUS_REVOKED';

/** How long an invitation can be accepted: seven days. */
export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/** An invitation to a user who was created with it. The user has no credential until the invitation is accepted. */
export type Invitation = {
  organizationId: string;
  id: string;
  userId: string;
  senderUserId: string;
  /** Name, email, tags and access type as submitted. The user's own values may change. */
  userName: string;
  email: string;
  tags: string[];
  /** ACCESS_TYPE_… */
  accessType: string;
  status: InvitationStatus;
  /** Keyed hash of the one-time secret; null once the invitation is accepted or revoked. */
  secret: Buffer | null;
  expiresAt: number;
  createdAt: number;
  updatedAt: number;
};

/** Whether an invitation can be accepted now. */
export const isOpen = (invitation: Invitation | undefined, now: number): invitation is Invitation =>
  invitation?.status === 'INVITATION_STATUS_CREATED' && now < invitation.expiresAt;
