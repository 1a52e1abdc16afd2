import { z } from 'zod';
import { simulate } from '../../engine/decision/simulate.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { BodyWarning, ExplainedPolicy } from '../../wire/explanations.ts';
import { ExplainedMfa } from '../../wire/mfa-policies.ts';

export const simulateActivity = query({
  name: 'simulate_activity',
  summary: 'The decision that an activity would get, with reasons; nothing is written',
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
    policies: z.array(ExplainedPolicy),
    /** The demands of MFA policies on the assumed approvers. */
    mfaStatuses: z.array(ExplainedMfa),
    /** The warnings that the answer to such a body would have. Absent if there are none. */
    warnings: z.array(BodyWarning).optional(),
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID', 'INVALID_EMAIL', 'UNSUPPORTED_TRANSACTION_TYPE'],
  run: ({ decisions, policies, nodes, read, organization, caller, now }, { type, parameters, approverUserIds = [] }) =>
    simulate(decisions, read, { organization, caller, policies, nodes, type, parameters, userIds: approverUserIds, now }),
});
