import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** How long a rendered page is reused: rendering takes milliseconds, and the endpoint is public. */
const FRESH_MS = 1000;

/** Prometheus metrics; label values come from fixed lists, never from a caller. */
export function metrics(clock: { now(): number }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Time to answer an operation, by path and HTTP status',
    labelNames: ['path', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const activities = new Counter({
    name: 'countersign_activities_total',
    help: 'Submits that were answered with an activity, by kind and status',
    labelNames: ['kind', 'status'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'countersign_refusals_total',
    help: 'Requests that were answered with an error, by activity type or operation, HTTP status and error code',
    labelNames: ['type', 'status', 'code'],
    registers: [registry],
  });
  const closed = new Counter({
    name: 'countersign_connections_closed_total',
    help: 'Connections closed because of their clients, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });

  let at = Number.NEGATIVE_INFINITY;
  let rendered: Promise<Buffer> | undefined;

  return {
    requests,
    activities,
    refusals,
    closed,
    contentType: registry.contentType,
    /** The metrics, possibly a moment old. */
    page(): Promise<Buffer> {
      const age = clock.now() - at;
      if (rendered === undefined || age >= FRESH_MS || age < 0) {
        at = clock.now();
        rendered = registry.metrics().then((text) => Buffer.from(text));
      }
      return rendered;
    },
  };
}

export type Metrics = ReturnType<typeof metrics>;

export const metricsHeaders = ({ contentType }: Metrics) => ({ 'content-type': contentType, 'cache-control': 'no-store' });

/** The request handler of a port that serves only metrics. */
export const metricsHandler =
  (metrics: Metrics) =>
  ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    if (url!.split('?', 1)[0] !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('this port has GET /metrics and nothing else\n');
      return;
    }
    metrics.page().then(
      (page) => response.writeHead(200, { ...metricsHeaders(metrics), 'content-length': page.length }).end(page),
      () => response.writeHead(500).end(),
    );
  };
