import { ApiError, Busy, Damaged, type ErrorCode, NoSpace, Outdated, Uncertain, Unreachable } from '../base/errors.ts';

/** `retryAfter`: in seconds. */
export type WireError = { status: number; body: string; code: ErrorCode; retryAfter?: number };

/** The only place where an error becomes a response. */
export function wireError(error: ApiError): WireError {
  const body = JSON.stringify({ code: error.grpc, message: error.message, details: error.details });
  const { retryAfterMs } = error;
  const retryAfter = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return { status: error.http, body, code: error.code, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Hides an unexpected error from the caller. `incident` identifies the log entry that has its cause. */
export function unexpected(incident: string): ApiError {
  return new ApiError('INTERNAL', `internal server error (${incident})`);
}

/** Converts temporary errors to those of the interface; others are returned unchanged. */
export function asOurs(error: unknown): unknown {
  if (error instanceof NoSpace) return new ApiError('NO_SPACE', undefined, { cause: error });
  if (error instanceof Unreachable) return new ApiError('UNAVAILABLE', `${error.message}: ${error.remedy}`);
  if (error instanceof Outdated)
    return new ApiError(
      'UNAVAILABLE',
      'this process is older than its database and accepts no more work: send the same body again, to another process',
      {
        cause: error,
      },
    );
  if (error instanceof Uncertain)
    return new ApiError(
      'UNAVAILABLE',
      'the database did not confirm the write, so the request may have been executed: send the same body again',
      { cause: error },
    );
  if (error instanceof Damaged)
    return new ApiError(
      'UNAVAILABLE',
      'the database of the service is damaged: send the same body again after the operator has restored it',
      { cause: error },
    );
  if (error instanceof Busy)
    return new ApiError('UNAVAILABLE', `the service is busy: send the same body again (${error.message})`, { cause: error });
  return error;
}
