import type { OutboxMessage, Store } from '../../src/store/types.ts';

/** Claims due messages, as a worker does, without a bound for any payer. */
export const claimDue = (
  store: Pick<Store, 'transaction'>,
  topic: string,
  now: number,
  leaseMs: number,
  limit: number,
): Promise<OutboxMessage[]> =>
  store.transaction(async (tx) => {
    const due = (await tx.outbox.due(topic, now, 1_000)).filter(({ isBehind }) => !isBehind);
    return tx.outbox.claim(due.slice(0, limit), now + leaseMs);
  });
