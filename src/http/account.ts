import type { IncomingMessage } from 'node:http';
import { ApiError, Busy } from '../base/errors.ts';
import type { Log, Trace } from '../engine/ports.ts';
import { addressOf } from './address.ts';
import { asOurs, unexpected, type WireError, wireError } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { LONGEST_PATH } from './no-such-path.ts';

export type HttpLog = Log & { debug(fields: object, message: string): void };

/** A request that is about to be answered, as far as it is known. */
export type Answered = { requestId: string; path: string; status: number; ms?: number; code?: string; trace?: Trace };

/** Accounts for answers: one line in the log for each, and the counts. */
export type Account = {
  /** The answer to an error. The log says the rest of one that nobody expected. */
  fail(path: string, requestId: string, thrown: unknown): WireError;
  /** `operation`: what the request was for, as counts name it; '' where it met none. */
  answered(request: IncomingMessage, operation: string, answer: Answered): void;
};

export function account(
  log: HttpLog,
  metrics: Metrics,
  clock: { now(): number },
  { bodyLimit, proxies }: { bodyLimit: number; proxies: number },
): Account {
  let warned = Number.NEGATIVE_INFINITY;
  /** Every request says so while it lasts; the log says it once a second. */
  function warnOfDatabase({ message, cause }: Busy): void {
    if (clock.now() - warned < 1000) return;
    warned = clock.now();
    log.warn({ error: cause }, message);
  }

  return {
    fail(path, requestId, thrown) {
      const error = asOurs(thrown, bodyLimit);
      if (thrown instanceof Busy) warnOfDatabase(thrown);
      if (error instanceof ApiError && error.code !== 'INTERNAL') return wireError(error);
      log.error({ requestId, path, error }, 'unexpected error');
      return wireError(unexpected(requestId));
    },
    answered(request, operation, { requestId, path, status, ms, code, trace }) {
      if (code !== undefined) metrics.refusals.labels(trace?.type ?? operation, String(status), code).inc();
      const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
      log.info({ requestId, path: shown, status, ms, code, ...trace, remoteAddress: addressOf(request, proxies) }, 'answered');
    },
  };
}
