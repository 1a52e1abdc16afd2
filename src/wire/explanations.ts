import { z } from 'zod';

/** The first clause of a policy that is not true, and its position. */
export const FailedClause = z.object({
  part: z.string(),
  text: z.string(),
  line: z.number(),
  column: z.number(),
  result: z.string(),
  message: z.string().optional(),
});

/** The value of a path in a policy, as JSON. `message`: why it could not be read. */
export const SeenValue = z.object({
  part: z.string(),
  path: z.string(),
  value: z.string().optional(),
  message: z.string().optional(),
});

/** An accepted part of a policy that is never true, or always true. */
export const Warning = z.object({
  part: z.string(),
  text: z.string(),
  line: z.number(),
  column: z.number(),
  message: z.string(),
  hint: z.string().optional(),
});

/** A warning that the answer to such a body has, in its header `X-Warnings`. */
export const BodyWarning = z.object({ code: z.string(), text: z.string() });

/** The outcome of one policy, with its reasons. */
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
