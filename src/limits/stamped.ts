import type { Clock } from '../base/clock.ts';
import { isProxy } from '../model/auth-proxy.ts';
import { buckets, type Rate } from './buckets.ts';

/** The rate limits for all users of an organization, for all users of a sub-organization, and for one user. */
export type StampedRates = {
  organization: Rate | undefined;
  subOrganization: Rate | undefined;
  user: Rate | undefined;
};

/**
 * A user of an organization. `proxyUserId`: the user of the organization's auth proxy. People who use the proxy are limited by their
 * addresses.
 */
export type Asker = {
  organization: { id: string; parentId: string | null; proxyUserId: string | null };
  user: { id: string };
};

/** The limit that was exceeded, and how long to wait. */
export type Over = { of: 'organization' | 'sub-organization' | 'user'; waitMs: number };

/** Undefined if the request is within the limits. */
export type StampedLimits = (asker: Asker) => Over | undefined;

/**
 * Limits for requests with a known sender. They count only for the sender's own organization, regardless of the organization that the
 * request is about. So no sender uses up the limit of others. Undefined if there is no limit.
 */
export function stampedLimits(rates: StampedRates, elapsed: Clock): StampedLimits | undefined {
  const bucketsOf = (rate: Rate | undefined) => rate && buckets(rate, elapsed);
  const [ofTop, ofBelow, ofUser] = [rates.organization, rates.subOrganization, rates.user].map(bucketsOf);
  if (ofTop === undefined && ofBelow === undefined && ofUser === undefined) return undefined;
  return (asker) => {
    if (isProxy(asker)) return undefined;
    const { organization, user } = asker;
    // Checked first, so that a refused request of one user does not count against the others.
    const byUser = ofUser?.take(`${organization.id} ${user.id}`).waitMs;
    if (byUser) return { of: 'user', waitMs: byUser };
    const isTop = organization.parentId === null;
    const waitMs = (isTop ? ofTop : ofBelow)?.take(organization.id).waitMs;
    return waitMs ? { of: isTop ? 'organization' : 'sub-organization', waitMs } : undefined;
  };
}
