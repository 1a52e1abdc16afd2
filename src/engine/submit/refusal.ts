import { ApiError, type ErrorCode } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Engine } from '../engine.ts';
import type { RequestContext } from '../request/context.ts';
import { recordNew } from './execute.ts';
import type { Execution } from './execution.ts';
import { failureOf } from './rows.ts';

/** Whether the thrown error is a final answer, which the activity keeps. A temporary refusal is not stored. */
export const isFinal = (error: unknown): error is ApiError => error instanceof ApiError && error.retryAfterMs === undefined;

/** Stores the refusal under the fingerprint, so that the same body gets the same answer, and throws it. */
export async function refuse(engine: Engine, execution: Execution, error: ApiError): Promise<never> {
  const { request, activity } = execution;
  const told = error.about(activity.id);
  const failure = failureOf(told, request.caller.user.id);
  await recordNew(engine, execution, { ...activity, status: 'ACTIVITY_STATUS_FAILED', failure });
  request.trace.activityId = activity.id;
  throw told;
}

/** The refusal that the submitter of a stored activity received, and receives again. */
export const refusalOf = ({ id, failure }: Activity): ApiError =>
  new ApiError(failure!.refusal as ErrorCode, failure!.message, { details: failure!.details, activityId: id });

/** A new activity, unless it failed and kept its writes: then its refusal is thrown. */
export function unlessRefused({ trace }: RequestContext, activity: Activity): Activity {
  if (activity.status !== 'ACTIVITY_STATUS_FAILED') return activity;
  trace.activityId = activity.id;
  throw refusalOf(activity);
}
