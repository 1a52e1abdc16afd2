import { ApiError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import { CLOSE, pathOf, send } from './answer.ts';
import { wireError } from './errors.ts';
import { type Metrics, sendMetrics } from './metrics/metrics.ts';
import type { Handler } from './service.ts';

/** While the process has no root key: it lives, is not ready, and refuses everything else. `state`: for /ready. `metrics`: if they are on
 * this port. */
export function sealedHandler(state: () => string, ids: Ids, metrics: Metrics | undefined): Handler {
  return (request, response) => {
    const requestId = ids.next();
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const path = reads ? pathOf(request.url!) : '';
    if (path === '/health') return send(response, { requestId, status: 200, body: '{"status":"ok"}' });
    if (path === '/ready')
      return send(response, { requestId, status: 503, body: JSON.stringify({ status: 'not ready', reason: state() }) });
    if (path === '/metrics' && metrics !== undefined) return void sendMetrics(metrics, response).catch(() => response.destroy());
    const { status, body } = wireError(
      new ApiError(
        'UNAVAILABLE',
        'the service is sealed: it waits for the shares of its root key. Send the same body again later',
      ),
    );
    send(response, { requestId, status, body }, CLOSE);
  };
}
