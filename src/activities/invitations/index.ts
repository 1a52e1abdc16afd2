import type { ActivityKind } from '../../engine/activity/declare.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitations } from './create-invitations.ts';
import { deleteInvitation } from './delete-invitation.ts';

export const invitations: readonly ActivityKind[] = [acceptInvitation, createInvitations, deleteInvitation];
