import { id, int, nullable, sealableText, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** Messages to send after the commit. They are claimed by state, with a lease. A sent message is removed. */
export const outbox = table(
  'outbox',
  {
    id: text(),
    organizationId: id(),
    activityId: id(),
    /** The top-level organization, because the number of messages in progress is bounded for each. */
    payerId: id(),
    topic: text(),
    /** '' once the message has expired. */
    payload: sealableText(),
    attempts: int(),
    createdAt: int(),
    /** When the message expires and its payload is dropped. After that: when the row is removed. Null: never. */
    expiresAt: nullable(int()),
  },
  {
    state: { column: text<OutboxState>(), from: () => 'ready' as const },
    /** The earliest time of the next attempt. While the message is leased: the end of the lease. */
    dueAt: { column: int(), from: ({ createdAt }) => createdAt },
    lastError: { column: text(), from: () => '' },
  },
);

/** `dead`: given up. An operator may send it again. */
export type OutboxState = 'ready' | 'dead' | 'expired';

export type OutboxMessage = ModelOf<typeof outbox>;
