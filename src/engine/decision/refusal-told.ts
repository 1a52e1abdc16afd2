import type { ApiError } from '../../base/errors.ts';
import type { Reader } from '../../store/types.ts';
import type { ToMeasure } from '../activity/velocity.ts';
import type { Decisions } from './decisions.ts';
import { Denial } from './denial.ts';

/**
 * What a question about a decision tells besides the outcome of policies: limits over time, and freezes of keys. Those that refuse every
 * signer are judged when the activity runs. They are told earlier, while it waits for votes. `denial`: the error for a denied activity.
 */
export async function refusalTold(
  { stopped }: Pick<Decisions, 'stopped'>,
  read: Reader,
  outcome: string,
  asked: ToMeasure,
  denial: () => Promise<ApiError>,
): Promise<ApiError | undefined> {
  if (outcome === 'OUTCOME_ALLOW' || outcome === 'OUTCOME_REQUIRES_CONSENSUS')
    return (await asked.activity.measured?.())?.refusal() ?? stopped(read, asked);
  if (!outcome.startsWith('OUTCOME_DENY_')) return undefined;
  const error = await denial();
  return error instanceof Denial ? undefined : error;
}
