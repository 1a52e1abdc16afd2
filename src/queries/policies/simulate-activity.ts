import { z } from 'zod';
import { query } from '../../engine/query.ts';
import { Id } from '../../wire/common.ts';
import { Warning } from '../../wire/policies.ts';

const Verdict = z.object({
  policyId: z.string(),
  policyName: z.string(),
  effect: z.string(),
  outcome: z.string(),
  reason: z.string().optional(),
  failedClause: z
    .object({
      part: z.string(),
      text: z.string(),
      line: z.number(),
      column: z.number(),
      result: z.string(),
      message: z.string().optional(),
    })
    .optional(),
  values: z.array(z.object({ part: z.string(), path: z.string(), value: z.string().optional(), message: z.string().optional() })),
  warnings: z.array(Warning),
});

export const simulateActivity = query({
  name: 'simulate_activity',
  summary: 'What would be decided on an activity, and why; nothing is written',
  params: z.strictObject({
    organizationId: Id,
    type: z.string().max(100),
    parameters: z.record(z.string(), z.unknown()),
    approverUserIds: z.array(Id).max(100).optional(),
  }),
  result: z.object({
    outcome: z.string(),
    element: z.number(),
    rootQuorumMet: z.boolean(),
    reason: z.string().optional(),
    policies: z.array(Verdict),
  }),
  run: ({ judge, read, organization, caller, now }, { type, parameters, approverUserIds = [] }) =>
    judge.simulate(read, { organization, caller, type, parameters, userIds: approverUserIds, now }),
});
