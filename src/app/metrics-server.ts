import type { Server } from 'node:http';
import { BOUNDS, connections } from '../http/connections.ts';
import { metricsHandler } from '../http/metrics/metrics.ts';
import type { Ground } from './ground.ts';

/** With a port of its own. Its own table of connections: a flood of connections to the service does not block its metrics. */
export function openMetrics({ config, counts }: Pick<Ground, 'config' | 'counts'>): Server | undefined {
  const watchers = connections({ ...BOUNDS, connections: config.maxConnections }, () => {});
  return config.metrics && watchers.serve(metricsHandler(counts));
}
