import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Prometheus metrics; labels come from our own lists, never from a caller. */
export function metrics() {
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
  return { registry, requests, activities };
}

export type Metrics = ReturnType<typeof metrics>;
