import { z } from 'zod';
import { Id, IdOut, Timestamp } from './common.ts';

/** One thing of the organization: a user, a wallet, a private key, or the organization itself. */
export const FreezeParams = z.object({
  userId: Id.optional(),
  walletId: Id.optional(),
  privateKeyId: Id.optional(),
  /** `false` names nothing. */
  organization: z.boolean().optional(),
});

export const Freeze = z.object({
  userId: IdOut.optional(),
  walletId: IdOut.optional(),
  privateKeyId: IdOut.optional(),
  organization: z.literal(true).optional(),
  reason: z.string(),
  keepSends: z.boolean(),
  activityId: IdOut,
  frozenByUserId: IdOut,
  createdAt: Timestamp,
});
