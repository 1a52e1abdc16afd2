import { MOST_KEPT, type WebhookQueue } from '../../../model/webhook-delivery.ts';
import { type Column, type EngineName, list } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { webhookQueues } from '../../tables/webhook-queues.ts';
import { noteListeners } from './listeners.ts';
import { lockQueues, type QueueKey, settleQueues } from './rounds.ts';

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
const nextDue = statement((db, p: { after: number; until: number }) =>
  db
    .selectFrom('webhook_queues')
    .select('next_at as nextAt')
    .where('next_at', '>', p.after)
    .where('next_at', '<=', p.until)
    .orderBy('next_at')
    .limit(1),
);

const ownedBy = statement((db, p: { owner: string }) =>
  db.selectFrom('webhook_queues').select(webhookQueues.all).where('owner', '=', p.owner),
);

const INSERT = 'INSERT INTO webhook_queues (organization_id, endpoint_id, pending, next_at, failures, owner, lease_until) VALUES';
/** The time after which an event has a failing endpoint tried, in milliseconds. Without events it rests for longer. */
const PROBE_MS = 60_000;
/** The time after which a paused queue is looked at, to drop old deliveries. */
const TRIM_MS = 3_600_000;
/** A paused queue that has more pending deliveries is looked at immediately. So one look drops several. */
const MOST_PENDING = MOST_KEPT + 500;
const IS_PAUSED = 'webhook_queues.paused_at IS NOT NULL';
const IS_FULL = `${IS_PAUSED} AND webhook_queues.pending + excluded.pending > ${MOST_PENDING}`;
/** An owner claims a queue in which nothing waited, and whose endpoint is healthy. */
const CLAIMED = `excluded.owner > '' AND webhook_queues.pending = 0 AND webhook_queues.failures = 0
  AND webhook_queues.paused_at IS NULL AND webhook_queues.lease_until <= excluded.next_at`;
/** The row is always written, so that the transaction holds it. */
const MORE = `ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET pending = webhook_queues.pending + excluded.pending,
  next_at = CASE WHEN ${CLAIMED} THEN excluded.lease_until
    WHEN webhook_queues.next_at <= excluded.next_at THEN webhook_queues.next_at
    WHEN ${IS_FULL} THEN excluded.next_at
    WHEN ${IS_PAUSED} AND webhook_queues.next_at < excluded.next_at + ${TRIM_MS} THEN webhook_queues.next_at
    WHEN ${IS_PAUSED} THEN excluded.next_at + ${TRIM_MS}
    WHEN webhook_queues.failures < 2 THEN excluded.next_at
    WHEN webhook_queues.next_at < excluded.next_at + ${PROBE_MS} THEN webhook_queues.next_at ELSE excluded.next_at + ${PROBE_MS} END,
  owner = CASE WHEN ${CLAIMED} THEN excluded.owner ELSE webhook_queues.owner END,
  lease_until = CASE WHEN ${CLAIMED} THEN excluded.lease_until ELSE webhook_queues.lease_until END
  RETURNING pending, owner, lease_until AS "leaseUntil"`;
const added = [organizationId, endpointId, pending, nextAt, owner, leaseUntil] as const;
type Added = Pick<WebhookQueue, 'pending' | 'owner' | 'leaseUntil'>;
const add = {
  sqlite: written<Added>('sqlite')(`${INSERT} (?, ?, ?, ?, 0, ?, ?) ${MORE}`, ...added),
  // Rows are locked in this order.
  postgres: written<Added & { endpointId: string }>('postgres')(
    `${INSERT.replace('VALUES', 'SELECT o, e, p, n, 0, w, l')} FROM unnest(${added.map((column, i) => `$${i + 1}::${list<unknown>(column as Column<unknown>).postgres.type}`).join(', ')})
    AS g(o, e, p, n, w, l) ORDER BY e ${MORE}, endpoint_id AS "endpointId"`,
    ...added.map((column) => list<unknown>(column as Column<unknown>)),
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
type Health = Pick<WebhookQueue, 'failures' | 'failingSince' | 'noSuccessSince' | 'pausedAt' | 'mailedAt'>;
const RESUMED: Health = { failures: 0, failingSince: null, noSuccessSince: null, pausedAt: null, mailedAt: null };
const change = statement((db, p: QueueKey & Health) =>
  db
    .updateTable('webhook_queues')
    .set({
      failures: p.failures,
      failing_since: p.failingSince,
      no_success_since: p.noSuccessSince,
      paused_at: p.pausedAt,
      mailed_at: p.mailedAt,
    })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId),
);
const clearPause = statement((db, p: QueueKey) =>
  db
    .updateTable('webhook_queues')
    .set({ paused_at: null })
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
/** Its owner makes retries due first. */
const hasten = statement((db, p: QueueKey & { at: number }) =>
  db
    .updateTable('webhook_queues')
    .set({ failing_since: p.at })
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId)
    .where('pending', '>', 0),
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
  /** The queues that a process has. */
  async ownedBy(owner: string): Promise<WebhookQueue[]> {
    return ownedBy.all(conn, { owner });
  },
  /** When the next queue is due, of those that are between two times. Undefined: none is. */
  async nextDue(after: number, until: number): Promise<number | undefined> {
    return (await nextDue.first(conn, { after, until }))?.nextAt;
  },
});

/** A process that takes a queue, and until when. */
export type Lease = Pick<WebhookQueue, 'owner' | 'leaseUntil'>;

/** Pending deliveries of an endpoint, which are due. With a lease, the queue is claimed if its endpoint is healthy and nothing waited for it. */
export type More = QueueKey & { more: number; at: number; lease?: Lease | undefined };

const NO_LEASE: Lease = { owner: '', leaseUntil: 0 };

/**
 * Makes queues of different endpoints due and changes their numbers of pending deliveries, which are returned. The rows are locked until the transaction
 * ends, in the order of endpoints.
 */
export async function addToQueues(conn: Conn, all: readonly More[]): Promise<(More & { pending: number; isClaimed: boolean })[]> {
  const sorted = all.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
  const rows = sorted.map(({ organizationId, endpointId, more, at, lease = NO_LEASE }) => [
    ...([organizationId, endpointId, more, at, lease.owner, lease.leaseUntil] as const),
  ]);
  const found: Added[] = [];
  if (conn.engine === 'postgres' && rows.length > 0) {
    const columns = added.map((_, column) => rows.map((row) => row[column]));
    const by = new Map((await add.postgres.all(conn, columns as never)).map((row) => [row.endpointId, row]));
    for (const { endpointId } of sorted) found.push(by.get(endpointId)!);
  } else for (const row of rows) found.push((await add.sqlite.all(conn, row as never))[0]!);
  return sorted.map((one, i) => {
    const { pending, owner, leaseUntil } = found[i]!;
    const isOurs = one.lease !== undefined && owner === one.lease.owner && leaseUntil === one.lease.leaseUntil;
    return { ...one, pending, isClaimed: isOurs && pending === one.more };
  });
}

export const webhookQueueWrites = (conn: Conn) => ({
  /** Makes the queue due at this time, unless the service paused it. Creates the queue if it is new. */
  async makeDue(organizationId: string, endpointId: string, at: number): Promise<void> {
    await addToQueues(conn, [{ organizationId, endpointId, more: 0, at }]);
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
  /** Those of the queues that the process still has, locked until the transaction ends. Nothing may be written for the others. */
  lock: (keys: readonly QueueKey[], owner: string): Promise<WebhookQueue[]> => lockQueues(conn, keys, owner),
  /** Writes what rounds have changed: the numbers of pending deliveries, health and leases. The rows must be locked by `lock`. */
  settle: (queues: readonly WebhookQueue[]): Promise<void> => settleQueues(conn, queues),
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
  /** Makes the queue due, with no failures. Its owner then makes the retries due: here they may be many. */
  async resume(organizationId: string, endpointId: string, now: number): Promise<void> {
    const key = { organizationId, endpointId };
    await change.run(conn, { ...key, ...RESUMED });
    await setDue.run(conn, { ...key, at: now });
    await hasten.run(conn, { ...key, at: now });
    await noteListeners(conn, organizationId);
  },
  /** The organization pauses the endpoint, also if the service did before. So no more events are kept for it. */
  async pauseByUser(organizationId: string, endpointId: string): Promise<void> {
    await clearPause.run(conn, { organizationId, endpointId });
    await noteListeners(conn, organizationId);
  },
  /** For an endpoint that is gone and has no pending deliveries. */
  async remove(organizationId: string, endpointId: string): Promise<void> {
    await remove.run(conn, { organizationId, endpointId });
  },
});
