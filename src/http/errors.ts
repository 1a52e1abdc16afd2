import { ApiError } from '../base/errors.ts';

export type WireError = { status: number; body: string };

/** The only place where an error becomes a response. `incident` names the log entry of an unexpected one. */
export function wireError(error: ApiError): WireError {
  return { status: error.http, body: JSON.stringify({ code: error.grpc, message: error.message, details: error.details }) };
}

/** What is not an ApiError says nothing to the caller but where the log has its cause. */
export function unexpected(incident: string): ApiError {
  return new ApiError('INTERNAL', `internal server error (${incident})`);
}
