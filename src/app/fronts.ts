import type { Captcha } from '../auth-proxy/captcha.ts';
import { proxyEndpoints } from '../auth-proxy/index.ts';
import { authProxy } from '../auth-proxy/serve.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { BOUNDS, type CloseReason, connections } from '../http/connections.ts';
import type { StaticPage } from '../http/pages.ts';
import type { ServerParts } from '../http/parts.ts';
import { server } from '../http/server.ts';
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
 */
export function openFronts(
  config: Config,
  engine: Engine,
  captcha: Captcha,
  parts: Parts,
  frames: readonly StaticPage[],
): Fronts {
  const bounds = { ...BOUNDS, connections: config.maxConnections };
  const closed = (reason: CloseReason) => parts.metrics.closed.inc({ reason });
  const carriedOut = (kind: string) => parts.metrics.activities.inc({ kind, status: 'ACTIVITY_STATUS_COMPLETED' });
  const proxy = authProxy(engine, { captcha, carriedOut }, proxyEndpoints);
  const front = (more: Partial<ServerParts> & Pick<ServerParts, 'authProxy'>): Front => {
    const clients = connections(bounds, closed);
    return { http: server({ ...parts, ...more, connections: clients }), clients };
  };
  const alone = { activities: [], queries: [], pages: [], devOutbox: undefined, openStream: undefined, metricsElsewhere: true };
  const ownProxy = config.authProxy !== undefined;
  const ownFrames = config.frames.at !== undefined && frames.length > 0;
  return {
    main: front({ authProxy: ownProxy ? undefined : proxy, pages: ownFrames ? parts.pages : [...parts.pages, ...frames] }),
    authProxy: ownProxy ? front({ ...alone, authProxy: proxy, servesOnly: 'the auth proxy' }) : undefined,
    frames: ownFrames
      ? front({ ...alone, authProxy: undefined, pages: frames, webhookKeys: undefined, servesOnly: 'frames' })
      : undefined,
  };
}
