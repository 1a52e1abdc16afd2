import { ApiError, VELOCITY_CODES } from '../../base/errors.ts';
import type { Reader } from '../../store/types.ts';
import { authorize, type Decision, type Question, unhindered } from './authorize.ts';
import { Denial } from './denial.ts';
import type { PolicyCache } from './policy-cache.ts';

/**
 * The error for a denied activity. It names the velocity controls that deny it, if the activity would otherwise be allowed or wait for votes.
 */
export async function denialOf(
  policies: PolicyCache,
  read: Reader,
  question: Question & { submitterId: string },
  decision: Decision,
): Promise<ApiError> {
  const { activity, organization } = question;
  const lifted = await unhindered(activity, organization.id);
  if (lifted === undefined) return new Denial(decision);
  const { outcome, controls } = await authorize(policies, read, { ...question, activity: lifted });
  const passes = outcome === 'OUTCOME_ALLOW' || outcome === 'OUTCOME_REQUIRES_CONSENSUS';
  return (passes ? (await lifted.measured?.())?.denial(controls) : undefined) ?? new Denial(decision);
}

/** The error for callers that may not see policies. The message and details of these refusals show amounts. */
export const withoutAmounts = (error: unknown): unknown =>
  error instanceof ApiError && VELOCITY_CODES.has(error.code) ? new ApiError(error.code) : error;
