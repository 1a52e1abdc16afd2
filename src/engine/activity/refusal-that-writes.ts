import type { ApiError } from '../../base/errors.ts';

/** A refusal that keeps the earlier writes of `execute`. */
export class RefusalThatWrites {
  readonly error: ApiError;

  constructor(error: ApiError) {
    this.error = error;
  }
}

/**
 * Returned by `execute` in place of a result if the activity fails and its writes must stay. An example is a spent attempt. The
 * writes and the failure are one transaction. The refusal is answered like any other.
 */
export const refusalThatWrites = (error: ApiError): RefusalThatWrites => new RefusalThatWrites(error);
