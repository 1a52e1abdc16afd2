import type { Clock } from '../base/clock.ts';
import { networkOf } from '../model/ip-address.ts';
import { buckets, type Rate, type Taken } from './buckets.ts';

/** A customer of a network has at least a /64 of IPv6, and often a /48. So one customer has nearly unlimited addresses. */
const HOST_GROUPS = 4;
const SITE_GROUPS = 3;

/** The limit of a whole site, as a multiple of the limit of one of its networks. */
export const SITE_SHARE = 16;

/** For connections that closed before their address was read. */
const GONE = 'gone';

/** The network of an address's owner, as far as it is known: the IPv4 address itself, or the /64 of IPv6. For IPv6 also the /48. */
export function networksOf(address: string | undefined): [host: string, site?: string] {
  if (address === undefined) return [GONE];
  const host = networkOf(address, HOST_GROUPS);
  return host === address ? [host] : [host, networkOf(address, SITE_GROUPS)];
}

/** A bucket for each address. The addresses of one IPv6 network share a bucket. */
export function addressBuckets(rate: Rate, elapsed: Clock): { take(address: string | undefined): Taken } {
  const hosts = buckets(rate, elapsed);
  const sites = buckets({ perSecond: rate.perSecond * SITE_SHARE, burst: rate.burst * SITE_SHARE }, elapsed);
  return {
    take(address) {
      const [host, site] = networksOf(address);
      const taken = hosts.take(host);
      if (site === undefined || taken.waitMs > 0) return taken;
      const { left, ...ofSite } = sites.take(site);
      return { ...ofSite, left: Math.min(left, taken.left) };
    },
  };
}
