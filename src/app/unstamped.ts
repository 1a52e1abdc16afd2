import type { Clock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { ClientAddress } from '../http/address.ts';
import { type UnstampedLimit, unstampedLimit } from '../http/unstamped.ts';
import type { Logger } from './log/logger.ts';

const ADDRESS_UNKNOWN =
  'a request has X-Forwarded-For, but TRUSTED_PROXIES is not set. RATE_UNSTAMPED counts all clients of a proxy as its one address, so one client can use up the limit of the others. Set TRUSTED_PROXIES to the proxy’s address';

/** The limit of requests without a stamp, if there is one. */
export function limitUnstamped(
  { rates, trustedProxies }: Pick<Config, 'rates' | 'trustedProxies'>,
  elapsed: Clock,
  addressOf: ClientAddress,
  log: Pick<Logger, 'warn'>,
): UnstampedLimit | undefined {
  if (rates.unstamped === undefined) return undefined;
  const onUnknown = trustedProxies.length === 0 ? () => log.warn({}, ADDRESS_UNKNOWN) : undefined;
  return unstampedLimit(rates.unstamped, elapsed, addressOf, onUnknown);
}
