import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { AUTHENTICATION_TYPES, type MfaPolicy as MfaPolicyModel, type MfaStep } from '../model/mfa-policy.ts';
import type { Proof } from '../model/proof.ts';
import { Id, IdOut, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';
import { Expression } from './policies.ts';

const MOST = 10;

const MethodParams = z.object({ type: oneOf('type', AUTHENTICATION_TYPES), id: Id.optional() });

/** Steps that are all needed. Each needs one method. */
export const StepsParams = z
  .array(
    z.object({
      any: z
        .array(MethodParams)
        .min(1, 'must have at least one method')
        .max(MOST, `must have at most ${MOST} methods: a user needs only one of them`),
    }),
  )
  .min(1, 'must have at least one step')
  .max(MOST, `must have at most ${MOST} steps`);

/** A blank condition would be true of every activity. */
export const MfaCondition = Expression.regex(/\S/, "must not be blank: 'true' matches every activity");

export const Order = z.int().min(0, 'must be a whole number, 0 or more');

const Method = z.object({ type: z.string(), id: z.string().optional() });
const Step = z.object({ any: z.array(Method) });

export const MfaPolicy = z.object({
  mfaPolicyId: IdOut,
  mfaPolicyName: z.string(),
  condition: z.string(),
  requiredAuthenticationMethods: z.array(Step),
  order: z.int(),
  notes: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** The demands of a policy on a user for one activity, and the methods that the user has proved. */
export const MfaStatus = z.object({
  mfaPolicyId: IdOut,
  userId: IdOut,
  satisfied: z.boolean(),
  satisfiedMethods: z.array(Method),
  requiredMethods: z.array(Step),
});

/** A further stamp of a voter. `approvalActivityId`: the approval whose body it signed. */
export const GivenProof = z.object({
  userId: IdOut,
  approvalActivityId: IdOut,
  credentialId: IdOut,
  scheme: z.string(),
  publicKey: z.string(),
  signature: z.string(),
  createdAt: Timestamp,
});

/** An MFA status by name, with its open steps. */
export const ExplainedMfa = MfaStatus.extend({ mfaPolicyName: z.string(), missingMethods: z.array(Step) });

export const viewProof = (p: Proof): z.output<typeof GivenProof> => ({
  userId: p.userId,
  approvalActivityId: p.approvalId,
  credentialId: p.credentialId,
  scheme: p.scheme,
  publicKey: p.publicKey,
  signature: p.signature,
  createdAt: wireTimestamp(p.createdAt),
});

export const viewSteps = (steps: readonly MfaStep[]): z.output<typeof Step>[] =>
  steps.map(({ any }) => ({ any: any.map(({ type, id }) => ({ type, ...(id === undefined ? {} : { id }) })) }));

export function viewMfaPolicy(p: MfaPolicyModel): z.output<typeof MfaPolicy> {
  return {
    mfaPolicyId: p.id,
    mfaPolicyName: p.name,
    condition: p.condition,
    requiredAuthenticationMethods: viewSteps(p.steps),
    order: p.order,
    ...(p.notes === null ? {} : { notes: p.notes }),
    createdAt: wireTimestamp(p.createdAt),
    updatedAt: wireTimestamp(p.updatedAt),
  };
}
