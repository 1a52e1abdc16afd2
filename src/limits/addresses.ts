import type { Clock } from '../base/clock.ts';
import { networkOf } from '../model/ip-address.ts';
import { buckets, type Rate, type Taken } from './buckets.ts';

/** A customer of a network has at least a /64 of IPv6, and often a /48: in place of one address there are as many as one likes. */
const HOST_GROUPS = 4;
const SITE_GROUPS = 3;

/** As much as so many of its networks may do, a whole site may. */
export const SITE_SHARE = 16;

/** Connections that ended before they could be asked where they come from. */
const GONE = 'gone';

/** Whose address it is, as far as that can be told: the address of IPv4, the /64 of IPv6. Then the /48, where there is one. */
export function networksOf(address: string | undefined): [host: string, site?: string] {
  if (address === undefined) return [GONE];
  const host = networkOf(address, HOST_GROUPS);
  return host === address ? [host] : [host, networkOf(address, SITE_GROUPS)];
}

/** A bucket for each address, in which those of one IPv6 network share one. */
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
