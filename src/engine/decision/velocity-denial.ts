import type { ApiError } from '../../base/errors.ts';
import type { Reader } from '../../store/types.ts';
import { authorize, type Decision, type Question } from './authorize.ts';
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
  const found = activity.measured && (await activity.measured());
  if (found === undefined || found.organizationId !== organization.id) return new Denial(decision);
  const measured = async () => ({ ...found, controls: found.unhindered });
  const lifted = await authorize(policies, read, { ...question, activity: { ...activity, measured } });
  const passes = lifted.outcome === 'OUTCOME_ALLOW' || lifted.outcome === 'OUTCOME_REQUIRES_CONSENSUS';
  return (passes ? found.denial(lifted.controls) : undefined) ?? new Denial(decision);
}
