import { z } from 'zod';

/** The members of a submit's body. Used only for their names: `submitBody` checks their values. */
export const Envelope = z.object({
  type: z.string(),
  timestampMs: z.string(),
  organizationId: z.string(),
  parameters: z.unknown(),
  generateAppProofs: z.boolean(),
});
