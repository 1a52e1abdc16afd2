import { ApiError, VELOCITY_CODES } from '../../base/errors.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import { type Decision, type EvaluationInput, unhindered, withControls } from './authorize.ts';
import { Denial } from './denial.ts';

const passes = ({ outcome }: Decision): boolean => outcome === 'OUTCOME_ALLOW' || outcome === 'OUTCOME_REQUIRES_CONSENSUS';

/**
 * The error for a denied activity. If it would otherwise be allowed or wait for votes, the error names a velocity control. With room in that
 * control, and in those that have it earlier, nothing denies it. `decide`: the same decision about another form of the activity.
 */
export async function denialOf(
  { activity, organization }: Pick<EvaluationInput, 'activity' | 'organization'>,
  decision: Decision,
  decide: (activity: ResolvedActivity) => Promise<Decision>,
): Promise<ApiError> {
  const lifted = await unhindered(activity, organization.id);
  const measured = await lifted?.measured?.();
  if (lifted === undefined || measured === undefined) return new Denial(decision);
  const free = await decide(lifted);
  const denials = passes(free) ? measured.denials(free.controls) : [];
  // Where one of several policies suffices, room in some of the controls does too. It suffices in all of them.
  let [from, to] = [0, denials.length - 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const controls = denials[middle]!.controls();
    if (passes(await decide(withControls(activity, measured, controls)))) to = middle;
    else from = middle + 1;
  }
  const binding = denials.findLastIndex(({ binds }) => binds);
  return denials[Math.max(to, binding)]?.error() ?? new Denial(decision);
}

/** The error for callers that may not see policies. The message and details of these refusals show amounts. */
export const withoutAmounts = (error: unknown): unknown =>
  error instanceof ApiError && VELOCITY_CODES.has(error.code) ? new ApiError(error.code) : error;
