import type { Captcha } from '../auth-proxy/captcha.ts';
import { proxyEndpoints } from '../auth-proxy/index.ts';
import { authProxy } from '../auth-proxy/serve.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { BOUNDS, type CloseReason, connections } from '../http/connections.ts';
import type { StaticPage } from '../http/pages.ts';
import type { ServerParts } from '../http/parts.ts';
import { requestHandler } from '../http/server.ts';
import { service } from '../http/service.ts';
import { consoleAt, home, homeElsewhere } from './console/serve.ts';
import type { SealedFront, SealedFronts } from './sealed/fronts.ts';
import type { Front } from './stop.ts';

type Parts = Omit<ServerParts, 'authProxy' | 'connections' | 'servesOnly' | 'home' | 'console'>;

export type Fronts = {
  /** On PORT. */
  main: Front;
  /** On AUTH_PROXY_PORT. Undefined: it is on PORT. */
  authProxy: Front | undefined;
  /** On FRAMES_PORT. Undefined: they are on PORT, or off. */
  frames: Front | undefined;
  /** On CONSOLE_PORT. Undefined: it is on PORT, or off. */
  console: Front | undefined;
};

const NO_CONSOLE = { home: undefined, console: undefined };

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
  clock: Clock,
  sealed?: SealedFronts,
): Fronts {
  const bounds = { ...BOUNDS, connections: config.maxConnections };
  const closed = (reason: CloseReason) => parts.metrics.closed.inc({ reason });
  const carriedOut = (kind: string) => parts.metrics.activities.inc({ kind, status: 'ACTIVITY_STATUS_COMPLETED' });
  const proxy = authProxy(engine, { captcha, carriedOut }, proxyEndpoints);
  const front = (
    more: Partial<ServerParts> & Pick<ServerParts, 'authProxy' | 'home' | 'console'>,
    before?: SealedFront,
  ): Front => {
    const clients = before?.clients ?? connections(bounds, closed);
    const handle = requestHandler({ ...parts, ...more, connections: clients });
    return before?.opened(handle) ?? { http: service(clients, handle), clients };
  };
  const alone = {
    ...{ activities: [], queries: [], pages: [], reference: undefined, home: undefined, console: undefined },
    ...{ devOutbox: undefined, openStream: undefined },
    metricsElsewhere: true,
  };
  const ownProxy = config.authProxy !== undefined;
  const ownFrames = config.frames.at !== undefined && frames.length > 0;
  const ownConsole = config.console.at !== undefined;
  const consolePages = config.console.isOn ? { home, console: consoleAt(config, clock) } : NO_CONSOLE;
  const own = {
    authProxy: ownProxy ? undefined : proxy,
    pages: ownFrames ? parts.pages : [...parts.pages, ...frames],
    ...(ownConsole ? { ...NO_CONSOLE, home: homeElsewhere(config) } : consolePages),
  };
  return {
    main: front(own, sealed?.main),
    authProxy: ownProxy ? front({ ...alone, authProxy: proxy, servesOnly: 'the auth proxy' }, sealed?.authProxy) : undefined,
    frames: ownFrames
      ? front({ ...alone, authProxy: undefined, pages: frames, webhookKeys: undefined, servesOnly: 'frames' }, sealed?.frames)
      : undefined,
    console: ownConsole
      ? front(
          { ...alone, authProxy: undefined, ...consolePages, webhookKeys: undefined, servesOnly: 'the console' },
          sealed?.console,
        )
      : undefined,
  };
}
