import { id, int, nullable, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** Messages to send after the commit; claimed by state with a lease. One that was sent is removed. */
export const outbox = table(
  'outbox',
  {
    id: text(),
    organizationId: id(),
    activityId: id(),
    /** The top-level organization, because what one of them may have under way is bounded. Never null in a row. */
    payerId: nullable(id()),
    topic: text(),
    /** '' once the message has expired. */
    payload: text(),
    attempts: int(),
    createdAt: int(),
    /** When it is of no use any more, and its payload is dropped; then, when its row is. Null: never. */
    expiresAt: nullable(int()),
  },
  {
    state: { column: text<OutboxState>(), from: () => 'ready' as const },
    /** The earliest time of the next attempt; while leased, the end of the lease. */
    dueAt: { column: int(), from: ({ createdAt }) => createdAt },
    lastError: { column: text(), from: () => '' },
  },
);

/** `dead`: given up, and may be sent by hand. */
export type OutboxState = 'ready' | 'dead' | 'expired';

export type OutboxMessage = ModelOf<typeof outbox>;
