import { int, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** What must leave the process after the commit; claimed by state with a lease. */
export const outbox = table(
  'outbox',
  {
    id: text(),
    organizationId: text(),
    activityId: text(),
    topic: text(),
    payload: text(),
    attempts: int(),
    createdAt: int(),
  },
  {
    state: { column: text<'ready' | 'done' | 'dead'>(), from: () => 'ready' as const },
    /** Not to be tried before; while leased: when the lease ends. */
    dueAt: { column: int(), from: ({ createdAt }) => createdAt },
  },
);

export type OutboxMessage = ModelOf<typeof outbox>;
