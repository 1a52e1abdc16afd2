import type { ApiError } from '../../base/errors.ts';

/** A refusal that keeps what `execute` wrote before it. */
export class Kept {
  readonly error: ApiError;

  constructor(error: ApiError) {
    this.error = error;
  }
}

/**
 * What `execute` returns in place of a result, if the activity fails and what it wrote must stay, such as a spent attempt. What it wrote
 * and the failure are one transaction. It is answered as any other refusal.
 */
export const kept = (error: ApiError): Kept => new Kept(error);
