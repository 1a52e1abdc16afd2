import { type Read, send } from './answer.ts';
import { sendMetrics } from './metrics/metrics.ts';
import type { ServerParts } from './parts.ts';

/** The message with the code of its cause, and no more. Any client may ask, and the log has the rest. */
function reasonOf({ message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

/** The probes of an operator's programs, by path. */
export function probes({ ready, metrics, metricsElsewhere, ids }: ServerParts): [string, Read][] {
  const health: Read = (_request, response) => send(response, { requestId: ids.next(), status: 200, body: '{"status":"ok"}' });
  const readiness: Read = async (_request, response) => {
    const { status, body } = await ready().then(
      (warnings) => ({ status: 200, body: JSON.stringify({ status: 'ready', ...(warnings.length > 0 && { warnings }) }) }),
      (error: Error) => ({ status: 503, body: JSON.stringify({ status: 'not ready', reason: reasonOf(error) }) }),
    );
    send(response, { requestId: ids.next(), status, body });
  };
  const both: [string, Read][] = [
    ['/health', health],
    ['/ready', readiness],
  ];
  return metricsElsewhere ? both : [...both, ['/metrics', (_request, response) => sendMetrics(metrics, response)]];
}
