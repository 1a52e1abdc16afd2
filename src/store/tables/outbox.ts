import { id, int, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** Messages to send after the commit; claimed by state with a lease. */
export const outbox = table(
  'outbox',
  {
    id: text(),
    organizationId: id(),
    activityId: id(),
    topic: text(),
    payload: text(),
    attempts: int(),
    createdAt: int(),
  },
  {
    state: { column: text<'ready' | 'done' | 'dead'>(), from: () => 'ready' as const },
    /** The earliest time of the next attempt; while leased, the end of the lease. */
    dueAt: { column: int(), from: ({ createdAt }) => createdAt },
  },
);

export type OutboxMessage = ModelOf<typeof outbox>;
