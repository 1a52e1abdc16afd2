import { ApiError } from '../../base/errors.ts';

/** Requests under way in this process. */
const MOST = 64;
/** Requests under way of one organization, so that one cannot take all slots. */
const MOST_OF_ONE = 4;
const LATER = { retryAfterMs: 1000 };

/** Takes a slot for a request of an organization. The result gives it back. Throws RATE_LIMIT_EXCEEDED. */
export type TakeSlot = (organizationId: string) => () => void;

/** `what`: the requests, in the plural. */
export function requestSlots(what: string): TakeSlot {
  const underWay = new Map<string, number>();
  let count = 0;
  return (organizationId) => {
    const own = underWay.get(organizationId) ?? 0;
    if (own >= MOST_OF_ONE || count >= MOST) {
      const whose = own >= MOST_OF_ONE ? `${MOST_OF_ONE} ${what} of this organization` : `${MOST} ${what}`;
      throw new ApiError('RATE_LIMIT_EXCEEDED', `${whose} are under way: send the same body again when one has ended`, LATER);
    }
    count++;
    underWay.set(organizationId, own + 1);
    return () => {
      count--;
      const left = underWay.get(organizationId)! - 1;
      if (left === 0) underWay.delete(organizationId);
      else underWay.set(organizationId, left);
    };
  };
}
