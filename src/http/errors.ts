import { ApiError, Busy, type ErrorCode, NoSpace } from '../base/errors.ts';

export type WireError = { status: number; body: string; code: ErrorCode };

/** The only place where an error becomes a response. */
export function wireError(error: ApiError): WireError {
  const body = JSON.stringify({ code: error.grpc, message: error.message, details: error.details });
  return { status: error.http, body, code: error.code };
}

/** Hides an unexpected error from the caller. `incident` identifies the log entry that has its cause. */
export function unexpected(incident: string): ApiError {
  return new ApiError('INTERNAL', `internal server error (${incident})`);
}

/** Converts the framework's temporary errors, and those that a caller can cause, to ours; others are returned unchanged. */
export function asOurs(error: unknown, bodyLimit: number): unknown {
  if (error instanceof NoSpace) return new ApiError('NO_SPACE', undefined, { cause: error });
  if (error instanceof Busy)
    return new ApiError('UNAVAILABLE', 'the service is busy: send the same body again', { cause: error });
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('BODY_TOO_LARGE', `bad request body: larger than ${bodyLimit} bytes`);
  if (code?.startsWith('FST_') && statusCode === 503) return new ApiError('UNAVAILABLE', 'the service is stopping: try again');
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode < 500)
    return new ApiError('REQUEST_INVALID', 'bad request');
  return error;
}
