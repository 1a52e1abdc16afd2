import { z } from 'zod';
import { AppProof } from './app-proofs.ts';
import { IdOut, Timestamp } from './common.ts';
import { ActivityStatusName } from './enums.ts';
import { User } from './users.ts';

/** `sha256:` and 64 hex digits of the body's digest. Anything else, such as an activity's id, names no activity. */
export const Fingerprint = z.string().max(1000);

export const Vote = z.object({
  id: IdOut,
  userId: IdOut,
  user: User,
  activityId: IdOut,
  selection: z.enum(['VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED']),
  message: z.string(),
  publicKey: z.string(),
  signature: z.string(),
  scheme: z.string(),
  createdAt: Timestamp,
});

/** The outer form of an activity, as queries return it. `intent` and `result` have one key each, named by type and version. */
export const Activity = z.object({
  id: IdOut,
  organizationId: IdOut,
  status: ActivityStatusName,
  type: z.string(),
  intent: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()),
  votes: z.array(Vote),
  fingerprint: z.string(),
  canApprove: z.boolean(),
  canReject: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  failure: z.object({ code: z.int(), message: z.string(), details: z.array(z.record(z.string(), z.unknown())) }).optional(),
  /** Only where the body asked for them. */
  appProofs: z.array(AppProof).optional(),
});
