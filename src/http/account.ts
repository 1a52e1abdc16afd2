import type { Clock } from '../base/clock.ts';
import { ApiError, Busy, Outdated, VELOCITY_CODES } from '../base/errors.ts';
import type { Log, Trace } from '../engine/ports.ts';
import { asOurs, unexpected, type WireError, wireError } from './errors.ts';
import type { Metrics } from './metrics/metrics.ts';
import { LONGEST_PATH } from './no-such-path.ts';

export type HttpLog = Log & { debug(fields: object, message: string): void };

/** A request about to be answered, with the known details. */
export type Answered = {
  requestId: string;
  path: string;
  status: number;
  ms?: number;
  code?: string;
  trace?: Trace;
  remoteAddress: string | undefined;
  /** It is counted, and logged only at level debug. */
  quiet?: boolean;
};

/** Records responses: one log line each, and the metrics. */
export type Account = {
  /** The response to an error. The cause of an unexpected one is logged. */
  fail(path: string, requestId: string, thrown: unknown): WireError;
  /** `operation`: the operation's name in the metrics; '' if no operation matched. */
  answered(operation: string, answer: Answered): void;
};

export function account(log: HttpLog, metrics: Metrics, elapsed: Clock): Account {
  let warned = Number.NEGATIVE_INFINITY;
  /** Every request reports it while it lasts; logged at most once a second. */
  function warnOfDatabase({ message, cause }: Busy): void {
    if (elapsed.now() - warned < 1000) return;
    warned = elapsed.now();
    log.warn({ error: cause }, message);
  }

  return {
    fail(path, requestId, thrown) {
      const error = asOurs(thrown);
      // The log reports an outdated process once.
      if (thrown instanceof Busy && !(thrown instanceof Outdated)) warnOfDatabase(thrown);
      if (error instanceof ApiError && error.code !== 'INTERNAL') return wireError(error);
      log.error({ requestId, path, error }, 'unexpected error');
      return wireError(unexpected(requestId));
    },
    answered(operation, { requestId, path, status, ms, code, trace, remoteAddress, quiet }) {
      if (code !== undefined) metrics.refusals.inc({ type: trace?.type ?? operation, status, code });
      if (code !== undefined && VELOCITY_CODES.has(code)) metrics.overLimits.inc({ code });
      const shown = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
      const line = { requestId, path: shown, status, ms, code, ...trace, remoteAddress };
      if (quiet) log.debug(line, 'answered');
      else log.info(line, 'answered');
    },
  };
}
