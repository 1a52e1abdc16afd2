import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/** How long a connection waits for its next request. Servers close theirs after five seconds or more. */
const IDLE_MS = 4_000;
/** Connections that wait, to one receiver and in all. The worker has as many requests under way, of a payer and in all. */
const MOST_EACH = 64;
const MOST = 512;

type Named = RequestOptions & { addresses?: readonly LookupAddress[] };

/** A connection waits under a name with its addresses. Only requests to the same ones use it. */
const addressesOf = ({ addresses = [] }: Named): string =>
  addresses
    .map(({ address }) => address)
    .sort()
    .join();

const waiting = ({ freeSockets }: HttpAgent): number =>
  Object.values(freeSockets).reduce((all, sockets) => all + (sockets?.length ?? 0), 0);

/** Both methods are documented for overriding. */
function reusing<A extends HttpAgent>(agent: A): A {
  const getName = agent.getName.bind(agent);
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  return Object.assign(agent, {
    getName: (options: Named = {}) => `${getName(options)}:${addressesOf(options)}`,
    keepSocketAlive: (socket: Duplex) => waiting(agent) < MOST && keepSocketAlive(socket),
  });
}

const settings = { keepAlive: true, maxFreeSockets: MOST_EACH, timeout: IDLE_MS };

/** For deliveries of webhooks, of which many go to one receiver. A TLS handshake costs more than a delivery. */
export const REUSING = {
  plain: reusing(new HttpAgent(settings)),
  secure: reusing(new HttpsAgent({ ...settings, maxCachedSessions: 0 })),
};
