import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { SessionProfile as SessionProfileModel } from '../model/session-profile.ts';
import { IdOut, Timestamp } from './common.ts';

export const SessionProfile = z.object({
  sessionProfileId: IdOut,
  sessionProfileName: z.string(),
  scope: z.string(),
  expirationSeconds: z.string().optional(),
  notes: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewSessionProfile(p: SessionProfileModel): z.output<typeof SessionProfile> {
  return {
    sessionProfileId: p.id,
    sessionProfileName: p.name,
    scope: p.scope,
    ...(p.expirationSeconds === null ? {} : { expirationSeconds: String(p.expirationSeconds) }),
    ...(p.notes === null ? {} : { notes: p.notes }),
    createdAt: wireTimestamp(p.createdAt),
    // A profile never changes.
    updatedAt: wireTimestamp(p.createdAt),
  };
}
