import { limitConcurrency, type Turn } from '../../base/concurrency.ts';

/** A turn to fetch an executable. Each may take gigabytes of disk and minutes of time, so an organization has one at a time. */
export type FetchTurn = <T>(organizationId: string, work: () => Promise<T>) => Promise<T>;

export function fetchTurns(most: number): FetchTurn {
  const all = limitConcurrency(most);
  const own = new Map<string, { turn: Turn; users: number }>();
  return async (organizationId, work) => {
    const one = own.get(organizationId) ?? { turn: limitConcurrency(1), users: 0 };
    own.set(organizationId, one);
    one.users += 1;
    try {
      return await one.turn(() => all(work));
    } finally {
      one.users -= 1;
      if (one.users === 0) own.delete(organizationId);
    }
  };
}
