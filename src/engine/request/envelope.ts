import { z } from 'zod';

/** The members of a submit's body. Used for their names alone: `submitBody` says what each may be. */
export const Envelope = z.object({
  type: z.string(),
  timestampMs: z.string(),
  organizationId: z.string(),
  parameters: z.unknown(),
  generateAppProofs: z.boolean(),
});
