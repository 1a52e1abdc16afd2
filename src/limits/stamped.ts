import type { Clock } from '../base/clock.ts';
import { buckets, type Rate } from './buckets.ts';

/** How fast the users of one organization, of one sub-organization, and one user may ask. */
export type StampedRates = {
  organization: Rate | undefined;
  subOrganization: Rate | undefined;
  user: Rate | undefined;
};

/** A user of an organization. `proxyUserId`: the user by whom its auth proxy asks, for people who are limited by their addresses. */
export type Asker = {
  organization: { id: string; parentId: string | null; proxyUserId: string | null };
  user: { id: string };
};

/** Whose limit it is, and when there is room again. */
export type Over = { of: 'organization' | 'sub-organization' | 'user'; waitMs: number };

/** Undefined if the request is within the limits. */
export type StampedLimits = (asker: Asker) => Over | undefined;

/**
 * Limits for requests whose sender is known: by their own organization alone, whatever they ask about, so that nobody uses up what others
 * have. Undefined if there is none.
 */
export function stampedLimits(rates: StampedRates, elapsed: Clock): StampedLimits | undefined {
  const { organization: top, subOrganization: below, user } = rates;
  if (top === undefined && below === undefined && user === undefined) return undefined;
  const bucketsOf = (rate: Rate | undefined) => rate && buckets(rate, elapsed);
  const [ofTop, ofBelow, ofUser] = [bucketsOf(top), bucketsOf(below), bucketsOf(user)];
  return ({ organization, user: { id } }) => {
    if (id === organization.proxyUserId) return undefined;
    // First, so that what one user may not do takes nothing from the others.
    const byUser = ofUser?.take(`${organization.id} ${id}`).waitMs;
    if (byUser) return { of: 'user', waitMs: byUser };
    const isTop = organization.parentId === null;
    const waitMs = (isTop ? ofTop : ofBelow)?.take(organization.id).waitMs;
    return waitMs ? { of: isTop ? 'organization' : 'sub-organization', waitMs } : undefined;
  };
}
