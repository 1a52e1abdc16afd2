import { z } from 'zod';

/** The first clause of a policy that is not true, and where it stands. */
export const FailedClause = z.object({
  part: z.string(),
  text: z.string(),
  line: z.number(),
  column: z.number(),
  result: z.string(),
  message: z.string().optional(),
});

/** What a path of a policy stood for, as JSON; `message` says why it could not be read. */
export const SeenValue = z.object({
  part: z.string(),
  path: z.string(),
  value: z.string().optional(),
  message: z.string().optional(),
});

/** What of a policy is accepted and can never be true, or always is. */
export const Warning = z.object({
  part: z.string(),
  text: z.string(),
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});

/** What one policy came to, and why. */
export const ExplainedPolicy = z.object({
  policyId: z.string(),
  policyName: z.string(),
  effect: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  failedClause: FailedClause.optional(),
  values: z.array(SeenValue),
  warnings: z.array(Warning),
});
