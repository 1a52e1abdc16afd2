import { parseBlock } from '../model/ip-address.ts';
import { type Allowed, parseAllowed } from '../outbound/allowed.ts';
import type { Environment, Setting } from './names.ts';
import { ConfigError, whole } from './read.ts';

export type OwnAddress = { host: string; port: number };

export function urlOf(host: string, port: number): string {
  // Browsers refuse passkeys on a page with an IP address.
  const isHere = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host);
  const shown = isHere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}

export function metricsAddress(env: Environment, host: string, port: number): OwnAddress | undefined {
  if (!env.METRICS_PORT) {
    if (env.METRICS_HOST) throw new ConfigError('METRICS_HOST needs METRICS_PORT: without it, /metrics is on PORT');
    return undefined;
  }
  const own = whole(env, 'METRICS_PORT', 0, 0, 65_535);
  if (own === port && own !== 0) throw new ConfigError(`METRICS_PORT must differ from PORT, which is ${port}`);
  // A single address, because metrics collectors are configured with one.
  return { host: env.METRICS_HOST || (host === 'localhost' ? '127.0.0.1' : host), port: own };
}

export function outboundAllow(env: Environment): Allowed {
  try {
    return parseAllowed(env.OUTBOUND_ALLOW ?? '');
  } catch (error) {
    throw new ConfigError(`OUTBOUND_ALLOW must be host:port,host:port,…: ${(error as Error).message}`);
  }
}

/** Throws ConfigError if another setting has this port. Any number of servers may ask for a free one, by 0. */
export function demandFreePort(name: Setting, own: number, env: Environment, others: readonly Setting[]): void {
  for (const other of others)
    if (own !== 0 && env[other] && own === Number(env[other]))
      throw new ConfigError(`${name} must differ from ${other}, which is ${env[other]}`);
}

/** The address of the auth proxy, if it has a separate port. */
export function authProxyAddress(env: Environment, host: string, port: number): OwnAddress | undefined {
  if (!env.AUTH_PROXY_PORT) {
    if (env.AUTH_PROXY_HOST)
      throw new ConfigError('AUTH_PROXY_HOST needs AUTH_PROXY_PORT: without it, the auth proxy is on PORT');
    return undefined;
  }
  const own = whole(env, 'AUTH_PROXY_PORT', 0, 0, 65_535);
  demandFreePort('AUTH_PROXY_PORT', own, { ...env, PORT: String(port) }, ['PORT', 'METRICS_PORT']);
  return { host: env.AUTH_PROXY_HOST || host, port: own };
}

const MOST_PROXIES = 100;

export function trustedProxies(env: Environment): string[] {
  const given = (env.TRUSTED_PROXIES ?? '').split(',').map((text) => text.trim());
  const named = given.filter((text) => text !== '');
  if (named.length > MOST_PROXIES) throw new ConfigError(`TRUSTED_PROXIES must name at most ${MOST_PROXIES} blocks`);
  return named.map((text) => {
    const block = parseBlock(text);
    if (block === undefined)
      throw new ConfigError(
        `TRUSTED_PROXIES must be addresses, or blocks such as 10.0.0.0/8, separated by commas, not "${text}"`,
      );
    if (block.prefix === 0)
      throw new ConfigError(`TRUSTED_PROXIES must not name "${text}": every client could then forge its address`);
    return block.cidr;
  });
}
