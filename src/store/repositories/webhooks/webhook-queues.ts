import type { WebhookQueue } from '../../../model/webhook-delivery.ts';
import type { EngineName } from '../../columns.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { webhookQueues } from '../../tables/webhook-queues.ts';
import { noteListeners } from './listeners.ts';

/** The key of a queue. */
export type QueueKey = Pick<WebhookQueue, 'organizationId' | 'endpointId'>;

const { organizationId, endpointId, pending, nextAt, owner, leaseUntil } = webhookQueues.model;

const get = statement((db, p: QueueKey) =>
  db
    .selectFrom('webhook_queues')
    .select(webhookQueues.all)
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId),
);
const due = statement((db, p: { since: number; now: number; limit: number }) =>
  db
    .selectFrom('webhook_queues')
    .select(webhookQueues.all)
    .where('next_at', '>', p.since)
    .where('next_at', '<=', p.now)
    .where('lease_until', '<=', p.now)
    .where('failures', '=', 0)
    .orderBy('next_at')
    .limit(p.limit),
);
const dueFailing = statement((db, p: { since: number; now: number; limit: number }) =>
  db
    .selectFrom('webhook_queues')
    .select(webhookQueues.all)
    .where('next_at', '>', p.since)
    .where('next_at', '<=', p.now)
    .where('lease_until', '<=', p.now)
    .where('failures', '>', 0)
    .orderBy('next_at')
    .limit(p.limit),
);
const nextDue = statement((db) =>
  db.selectFrom('webhook_queues').select('next_at as nextAt').where('next_at', '>', 0).orderBy('next_at').limit(1),
);

const INSERT = 'INSERT INTO webhook_queues (organization_id, endpoint_id, pending, next_at, failures, owner, lease_until) VALUES';
/** The time after which an event has a failing endpoint tried, in milliseconds. Without events it rests for longer. */
const PROBE_MS = 60_000;
/** The time after which a paused queue is looked at, to drop old deliveries. */
const TRIM_MS = 3_600_000;
/** The row is always written, so that the transaction holds it. */
const MORE = `ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET pending = webhook_queues.pending + excluded.pending,
  next_at = CASE WHEN webhook_queues.next_at <= excluded.next_at THEN webhook_queues.next_at
    WHEN webhook_queues.paused_at IS NOT NULL AND webhook_queues.next_at < excluded.next_at + ${TRIM_MS} THEN webhook_queues.next_at
    WHEN webhook_queues.paused_at IS NOT NULL THEN excluded.next_at + ${TRIM_MS}
    WHEN webhook_queues.failures < 2 THEN excluded.next_at
    WHEN webhook_queues.next_at < excluded.next_at + ${PROBE_MS} THEN webhook_queues.next_at ELSE excluded.next_at + ${PROBE_MS} END
  RETURNING pending`;
const add = {
  sqlite: written<{ pending: number }>('sqlite')(
    `${INSERT} (?, ?, ?, ?, 0, '', 0) ${MORE}`,
    organizationId,
    endpointId,
    pending,
    nextAt,
  ),
  postgres: written<{ pending: number }>('postgres')(
    `${INSERT} ($1, $2, $3, $4, 0, '', 0) ${MORE}`,
    organizationId,
    endpointId,
    pending,
    nextAt,
  ),
} satisfies Record<EngineName, unknown>;

const claim = statement((db, p: QueueKey & { owner: string; now: number; until: number }) =>
  db
    .updateTable('webhook_queues')
    .set({ owner: p.owner, lease_until: p.until, next_at: p.until })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId)
    .where('next_at', '<=', p.now)
    .where('lease_until', '<=', p.now)
    .returning(webhookQueues.all),
);
const owned = (db: Builder, p: QueueKey & { owner: string }) =>
  db
    .selectFrom('webhook_queues')
    .select(webhookQueues.all)
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId)
    .where('owner', '=', p.owner);
const lock = {
  sqlite: statement(owned, 'sqlite'),
  postgres: statement((db, p: QueueKey & { owner: string }) => owned(db, p).forUpdate(), 'postgres'),
};
/** While a queue has an owner, it is due when the lease ends. An earlier time was set meanwhile, and stays. */
const dueOr = (at: string) => `next_at = CASE WHEN next_at < lease_until THEN next_at ELSE ${at} END`;
const OWNED = {
  sqlite: 'organization_id = ? AND endpoint_id = ? AND owner = ?',
  postgres: 'organization_id = $2 AND endpoint_id = $3 AND owner = $4',
};
const holding = (until: string) => `UPDATE webhook_queues SET ${dueOr(until)}, lease_until = ${until} WHERE`;
const hold = {
  sqlite: written('sqlite')(`${holding('?')} ${OWNED.sqlite}`, leaseUntil, leaseUntil, organizationId, endpointId, owner),
  postgres: written('postgres')(`${holding('$1')} ${OWNED.postgres}`, leaseUntil, organizationId, endpointId, owner),
} satisfies Record<EngineName, unknown>;
const releasing = (at: string) => `UPDATE webhook_queues SET ${dueOr(at)}, owner = '', lease_until = 0 WHERE`;
const release = {
  sqlite: written('sqlite')(`${releasing('?')} ${OWNED.sqlite}`, nextAt, organizationId, endpointId, owner),
  postgres: written('postgres')(`${releasing('$1')} ${OWNED.postgres}`, nextAt, organizationId, endpointId, owner),
} satisfies Record<EngineName, unknown>;
const releaseAll = statement((db, p: { now: number }) =>
  db.updateTable('webhook_queues').set({ owner: '', lease_until: 0, next_at: p.now }).where('owner', '>', ''),
);

/** What the outcome of attempts changes. */
type Health = Pick<WebhookQueue, 'failures' | 'failingSince' | 'pausedAt' | 'mailedAt'>;
const change = statement((db, p: QueueKey & Health) =>
  db
    .updateTable('webhook_queues')
    .set({ failures: p.failures, failing_since: p.failingSince, paused_at: p.pausedAt, mailed_at: p.mailedAt })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId),
);
const settle = statement((db, p: WebhookQueue) =>
  db
    .updateTable('webhook_queues')
    .set({
      pending: p.pending,
      failures: p.failures,
      failing_since: p.failingSince,
      next_at: p.nextAt,
      owner: p.owner,
      lease_until: p.leaseUntil,
    })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId),
);
const setDue = statement((db, p: QueueKey & { at: number }) =>
  db
    .updateTable('webhook_queues')
    .set({ next_at: p.at })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId),
);
const remove = statement((db, p: QueueKey) =>
  db.deleteFrom('webhook_queues').where('organization_id', '=', p.organizationId).where('endpoint_id', '=', p.endpointId),
);

export const webhookQueueReads = (conn: Conn) => ({
  async get(organizationId: string, endpointId: string): Promise<WebhookQueue | undefined> {
    return get.first(conn, { organizationId, endpointId });
  },
  /**
   * Queues of healthy or failing endpoints that are due and have no owner. Those that have waited longest come first. It walks over
   * overdue queues of the other kind. `since`: exclusive; those that were due before are left out.
   */
  async due(now: number, limit: number, isFailing: boolean, since = -1): Promise<WebhookQueue[]> {
    return (isFailing ? dueFailing : due).all(conn, { since, now, limit });
  },
  /** When the next queue is due. `NEVER` or undefined: none is. */
  async nextDue(): Promise<number | undefined> {
    return (await nextDue.first(conn, {}))?.nextAt;
  },
});

/**
 * Makes the queue due and changes its number of pending deliveries, which is returned. Its row is locked until the transaction ends.
 */
export async function addToQueue(conn: Conn, key: QueueKey, more: number, at: number): Promise<number> {
  const [row] = await add[conn.engine].all(conn, [key.organizationId, key.endpointId, more, at]);
  return row!.pending;
}

export const webhookQueueWrites = (conn: Conn) => ({
  /** Makes the queue due at this time, unless the service paused it. Creates the queue if it is new. */
  async makeDue(organizationId: string, endpointId: string, at: number): Promise<void> {
    await addToQueue(conn, { organizationId, endpointId }, 0, at);
  },
  /**
   * Claims queues that were found due, with a lease. Returns those that no other process has claimed meanwhile, as they are now. The
   * order is fixed, so that two processes never wait for each other.
   */
  async claim(found: readonly QueueKey[], owner: string, now: number, until: number): Promise<WebhookQueue[]> {
    const claimed: WebhookQueue[] = [];
    for (const { organizationId, endpointId } of found.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1))) {
      const queue = await claim.first(conn, { organizationId, endpointId, owner, now, until });
      if (queue !== undefined) claimed.push(queue);
    }
    return claimed;
  },
  /**
   * Renews the lease, and locks the row until the transaction ends. Every transaction of an owner begins with it or with `lock`. False if
   * another process has the queue: then nothing may be written.
   */
  async hold({ organizationId, endpointId }: QueueKey, owner: string, until: number): Promise<boolean> {
    const changed =
      conn.engine === 'sqlite'
        ? hold.sqlite.run(conn, [until, until, organizationId, endpointId, owner])
        : hold.postgres.run(conn, [until, organizationId, endpointId, owner]);
    return (await changed) === 1;
  },
  /** The queue, whose row is locked until the transaction ends. Undefined if another process has it: then nothing may be written. */
  async lock({ organizationId, endpointId }: QueueKey, owner: string): Promise<WebhookQueue | undefined> {
    return lock[conn.engine].first(conn, { organizationId, endpointId, owner });
  },
  /** Writes what a round has changed: the number of pending deliveries, health and lease. The row must be locked by `lock`. */
  async settle(queue: WebhookQueue): Promise<void> {
    await settle.run(conn, queue);
  },
  /** Releases the queue. It is due at this time (`NEVER`: when an event comes), or immediately if there is more work already. */
  async release({ organizationId, endpointId }: QueueKey, owner: string, at: number): Promise<void> {
    await release[conn.engine].run(conn, [at, organizationId, endpointId, owner]);
  },
  /** For an engine with one process: queues of an earlier process become due. */
  async releaseAll(now: number): Promise<void> {
    await releaseAll.run(conn, { now });
  },
  /** Notes that the endpoint fails, or that it does not. The row must be held. */
  async change(seen: WebhookQueue, to: Partial<Health>): Promise<void> {
    await change.run(conn, { ...seen, ...to });
  },
  /** Makes the queue due, with no failures. */
  async resume(organizationId: string, endpointId: string, now: number): Promise<void> {
    const key = { organizationId, endpointId };
    await change.run(conn, { ...key, failures: 0, failingSince: null, pausedAt: null, mailedAt: null });
    await setDue.run(conn, { ...key, at: now });
    await noteListeners(conn, organizationId);
  },
  /** For an endpoint that is gone and has no pending deliveries. */
  async remove(organizationId: string, endpointId: string): Promise<void> {
    await remove.run(conn, { organizationId, endpointId });
  },
});
