import { ApiError } from '../../base/errors.ts';
import { countsOf, mayHaveMore } from '../share.ts';

export const STREAM_LIMITS = { user: 5, organization: 100, process: 1_000 };

type Holder = { userId: string; organizationId: string; payerId: string };

const full = (whose: string, count: number, remedy: string) =>
  new ApiError('LIMIT_EXCEEDED', `${whose} already has ${count} open streams: ${remedy}`);

/** Open streams of this process, by user, by organization, by top-level organization and in all. */
export function streamPlaces(limits = STREAM_LIMITS) {
  const [users, organizations, payers] = [countsOf(), countsOf(), countsOf()];
  const change = ({ userId, organizationId, payerId }: Holder, by: number): void => {
    users.change(userId, by);
    organizations.change(organizationId, by);
    payers.change(payerId, by);
  };

  /** Takes a place, until the returned function is called. Throws LIMIT_EXCEEDED. */
  return (holder: Holder): (() => void) => {
    const { userId, organizationId, payerId } = holder;
    if (users.of(userId) >= limits.user) throw full('this user', limits.user, 'end one of them, or use it for several pages');
    if (organizations.of(organizationId) >= limits.organization)
      throw full('this organization', limits.organization, 'end one of them, or use a webhook endpoint');
    const free = limits.process - payers.all();
    if (free <= 0) throw full('this process of the service', limits.process, 'try again later');
    // A caller can register many organizations below one.
    if (!mayHaveMore(payers.of(payerId), free))
      throw full(
        'the parent with its sub-organizations',
        payers.of(payerId),
        'it may have half as many as are free, so end some',
      );
    change(holder, 1);
    return () => change(holder, -1);
  };
}
