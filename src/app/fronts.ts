import type { Captcha } from '../auth-proxy/captcha.ts';
import { proxyEndpoints } from '../auth-proxy/index.ts';
import { authProxy } from '../auth-proxy/serve.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { BOUNDS, type CloseReason, connections } from '../http/connections.ts';
import type { StaticPage } from '../http/pages.ts';
import type { ServerParts } from '../http/parts.ts';
import { requestHandler } from '../http/server.ts';
import { service } from '../http/service.ts';
import type { SealedFront, SealedFronts } from './sealed/fronts.ts';
import type { Front } from './stop.ts';

type Parts = Omit<ServerParts, 'authProxy' | 'connections' | 'servesOnly'>;

export type Fronts = {
  /** On PORT. */
  main: Front;
  /** On AUTH_PROXY_PORT. Undefined: it is on PORT. */
  authProxy: Front | undefined;
  /** On FRAMES_PORT. Undefined: they are on PORT, or off. */
  frames: Front | undefined;
};

/**
 * The servers for requests. One with its own port also has its own table of connections. A flood of them does not affect the rest.
 * `sealed`: the servers that have answered while the process was sealed.
 */
export function openFronts(
  config: Config,
  engine: Engine,
  captcha: Captcha,
  parts: Parts,
  frames: readonly StaticPage[],
  sealed?: SealedFronts,
): Fronts {
  const bounds = { ...BOUNDS, connections: config.maxConnections };
  const closed = (reason: CloseReason) => parts.metrics.closed.inc({ reason });
  const carriedOut = (kind: string) => parts.metrics.activities.inc({ kind, status: 'ACTIVITY_STATUS_COMPLETED' });
  const proxy = authProxy(engine, { captcha, carriedOut }, proxyEndpoints);
  const front = (more: Partial<ServerParts> & Pick<ServerParts, 'authProxy'>, before?: SealedFront): Front => {
    const clients = before?.clients ?? connections(bounds, closed);
    const handle = requestHandler({ ...parts, ...more, connections: clients });
    return before?.opened(handle) ?? { http: service(clients, handle), clients };
  };
  const alone = {
    ...{ activities: [], queries: [], pages: [], reference: undefined, devOutbox: undefined, openStream: undefined },
    metricsElsewhere: true,
  };
  const ownProxy = config.authProxy !== undefined;
  const ownFrames = config.frames.at !== undefined && frames.length > 0;
  const own = { authProxy: ownProxy ? undefined : proxy, pages: ownFrames ? parts.pages : [...parts.pages, ...frames] };
  return {
    main: front(own, sealed?.main),
    authProxy: ownProxy ? front({ ...alone, authProxy: proxy, servesOnly: 'the auth proxy' }, sealed?.authProxy) : undefined,
    frames: ownFrames
      ? front({ ...alone, authProxy: undefined, pages: frames, webhookKeys: undefined, servesOnly: 'frames' }, sealed?.frames)
      : undefined,
  };
}
