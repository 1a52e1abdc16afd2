import type { Captcha } from '../auth-proxy/captcha.ts';
import { proxyEndpoints } from '../auth-proxy/index.ts';
import { authProxy } from '../auth-proxy/serve.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { BOUNDS, type CloseReason, connections } from '../http/connections.ts';
import type { ServerParts } from '../http/parts.ts';
import { requestHandler } from '../http/server.ts';
import { service } from '../http/service.ts';
import type { SealedFront, SealedFronts } from './sealed/fronts.ts';
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
 * affect the rest. `sealed`: the servers that have answered while the process was sealed.
 */
export function openFronts(config: Config, engine: Engine, captcha: Captcha, parts: Parts, sealed?: SealedFronts): Fronts {
  const bounds = { ...BOUNDS, connections: config.maxConnections };
  const closed = (reason: CloseReason) => parts.metrics.closed.inc({ reason });
  const carriedOut = (kind: string) => parts.metrics.activities.inc({ kind, status: 'ACTIVITY_STATUS_COMPLETED' });
  const proxy = authProxy(engine, { captcha, carriedOut }, proxyEndpoints);
  const front = (more: Partial<Parts> & Pick<ServerParts, 'authProxy'>, before: SealedFront | undefined): Front => {
    const clients = before?.clients ?? connections(bounds, closed);
    const handle = requestHandler({ ...parts, ...more, connections: clients });
    return before?.opened(handle) ?? { http: service(clients, handle), clients };
  };
  if (config.authProxy === undefined) return { main: front({ authProxy: proxy }, sealed?.main), authProxy: undefined };
  const alone = { activities: [], queries: [], pages: [], devOutbox: undefined, openStream: undefined, metricsElsewhere: true };
  return {
    main: front({ authProxy: undefined }, sealed?.main),
    authProxy: front({ ...alone, authProxy: proxy }, sealed?.authProxy),
  };
}
