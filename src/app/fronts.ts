import type { Captcha } from '../auth-proxy/captcha.ts';
import { proxyEndpoints } from '../auth-proxy/index.ts';
import { authProxy } from '../auth-proxy/serve.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { BOUNDS, type CloseReason, connections } from '../http/connections.ts';
import type { ServerParts } from '../http/parts.ts';
import { server } from '../http/server.ts';
import type { Front } from './stop.ts';

type Parts = Omit<ServerParts, 'authProxy' | 'connections'>;

export type Fronts = {
  /** On PORT. */
  main: Front;
  /** On AUTH_PROXY_PORT. Undefined: it is on PORT. */
  authProxy: Front | undefined;
};

/**
 * The servers for requests. With its own port the auth proxy also has its own table of connections. A flood of them does not
 * affect the rest.
 */
export function openFronts(config: Config, engine: Engine, captcha: Captcha, parts: Parts): Fronts {
  const bounds = { ...BOUNDS, connections: config.maxConnections };
  const closed = (reason: CloseReason) => parts.metrics.closed.inc({ reason });
  const carriedOut = (kind: string) => parts.metrics.activities.inc({ kind, status: 'ACTIVITY_STATUS_COMPLETED' });
  const proxy = authProxy(engine, { captcha, carriedOut }, proxyEndpoints);
  const front = (more: Partial<Parts> & Pick<ServerParts, 'authProxy'>): Front => {
    const clients = connections(bounds, closed);
    return { http: server({ ...parts, ...more, connections: clients }), clients };
  };
  if (config.authProxy === undefined) return { main: front({ authProxy: proxy }), authProxy: undefined };
  const alone = { activities: [], queries: [], pages: [], devOutbox: undefined, openStream: undefined, metricsElsewhere: true };
  return { main: front({ authProxy: undefined }), authProxy: front({ ...alone, authProxy: proxy }) };
}
