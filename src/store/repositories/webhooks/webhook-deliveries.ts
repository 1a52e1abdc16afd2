import type { DeliveryAttempt, DeliveryStatus, NewDelivery, WebhookDelivery } from '../../../model/webhook-delivery.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { webhookDeliveries } from '../../tables/webhook-deliveries.ts';
import { firstPending, insertDeliveries, type Place } from './new-deliveries.ts';
import { addToQueue } from './webhook-queues.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('webhook_deliveries').select(webhookDeliveries.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);

export type DeliveryFilter = { endpointId?: string | undefined; status?: DeliveryStatus | undefined };
type Listed = {
  org: string;
  endpoint: string | undefined;
  status: DeliveryStatus | undefined;
  above: string | undefined;
  below: string | undefined;
  limit: number;
};

/** Deliveries are newest first. A page with `before` alone is read in ascending order from that delivery. */
const ascends = ({ above, below }: Pick<Listed, 'above' | 'below'>): boolean => above !== undefined && below === undefined;

const page = dynamic({ endpoint: true, status: true, above: true, below: true }, (db, p: Listed) => {
  const fixed = [
    ...(p.endpoint === undefined ? [] : [['endpoint_id', p.endpoint] as const]),
    ...(p.status === undefined ? [] : [['status', p.status] as const]),
  ];
  let found = db.selectFrom('webhook_deliveries').select(webhookDeliveries.all).where('organization_id', '=', p.org);
  for (const [column, value] of fixed) found = found.where(column, '=', value);
  return inRange(found, { fixed, key: 'id', above: p.above, below: p.below, descending: !ascends(p), limit: p.limit });
});
const due = dynamic({}, (db, p: { org: string; endpoint: string; until: number; limit: number }) =>
  inRange(
    db
      .selectFrom('webhook_deliveries')
      .select(webhookDeliveries.all)
      .where('organization_id', '=', p.org)
      .where('endpoint_id', '=', p.endpoint)
      .where('next_at', 'is not', null),
    { fixed: [['endpoint_id', p.endpoint]], key: 'next_at', above: undefined, below: p.until, descending: false, limit: p.limit },
  ),
);
/** Of these a failing endpoint gets the one with the fewest attempts. */
const CANDIDATES = 256;
const candidates = dynamic({}, (db, p: { org: string; endpoint: string; until: number }) =>
  inRange(
    db
      .selectFrom('webhook_deliveries')
      .select(['id', 'attempts'])
      .where('organization_id', '=', p.org)
      .where('endpoint_id', '=', p.endpoint)
      .where('next_at', 'is not', null),
    {
      fixed: [['endpoint_id', p.endpoint]],
      key: 'next_at',
      above: undefined,
      below: p.until,
      descending: true,
      limit: CANDIDATES,
    },
  ),
);
const pendingBefore = dynamic({}, (db, p: { org: string; endpoint: string; before: string; limit: number }) =>
  inRange(
    db
      .selectFrom('webhook_deliveries')
      .select(webhookDeliveries.all)
      .where('organization_id', '=', p.org)
      .where('endpoint_id', '=', p.endpoint)
      .where('status', '=', 'PENDING'),
    {
      fixed: [
        ['endpoint_id', p.endpoint],
        ['status', 'PENDING'],
      ],
      key: 'id',
      above: undefined,
      below: p.before,
      descending: false,
      limit: p.limit,
    },
  ),
);

const settle = statement((db, p: WebhookDelivery & { seen: number }) =>
  db
    .updateTable('webhook_deliveries')
    .set({
      status: p.status,
      attempts: p.attempts,
      next_at: p.nextAt,
      last_attempt_at: p.lastAttemptAt,
      last_duration_ms: p.lastDurationMs,
      last_status_code: p.lastStatusCode,
      last_answer: p.lastAnswer,
      last_error: p.lastError,
      ended_at: p.endedAt,
    })
    .where('organization_id', '=', p.organizationId)
    .where('id', '=', p.id)
    .where('attempts', '=', p.seen)
    .where('ended_at', 'is', null),
);
const setNext = statement((db, p: { org: string; id: string; at: number }) =>
  db.updateTable('webhook_deliveries').set({ next_at: p.at }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const hasten = statement((db, p: { org: string; endpoint: string; now: number }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ next_at: p.now })
    .where('organization_id', '=', p.org)
    .where('endpoint_id', '=', p.endpoint)
    .where('next_at', '>', p.now)
    // This answer says when the receiver may be asked again.
    .where((e) => e.or([e('last_status_code', 'is', null), e('last_status_code', '!=', 429)])),
);
const afresh = statement((db, p: { org: string; endpoint: string; now: number }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ next_at: p.now, attempts: 0 })
    .where('organization_id', '=', p.org)
    .where('endpoint_id', '=', p.endpoint)
    .where('next_at', '>', 0),
);
const again = statement((db, p: { org: string; id: string; now: number; subject: string }) =>
  db
    .updateTable('webhook_deliveries')
    // A subject of its own: a repetition that fails holds back no event.
    .set({ status: 'PENDING', next_at: p.now, ended_at: null, subject: p.subject })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id)
    .where('ended_at', 'is not', null),
);
const ended = statement((db, p: { before: number; limit: number }) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['organization_id as organizationId', 'id'])
    .where('ended_at', '<', p.before)
    .orderBy('ended_at')
    .limit(p.limit),
);
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('webhook_deliveries').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export const webhookDeliveryReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<WebhookDelivery | undefined> {
    return get.first(conn, { org, id });
  },
  /** Newest first. `after`: the page continues with deliveries older than this one. */
  async page(org: string, { endpointId, status }: DeliveryFilter, { limit, after, before }: Page): Promise<WebhookDelivery[]> {
    const edges = { above: before, below: after, limit };
    const found = await page.all(conn, { org, endpoint: endpointId, status, ...edges });
    return ascends(edges) ? found.reverse() : found;
  },
  /** An endpoint's deliveries that are due, at most one of each subject. Those that have waited longest come first. */
  async due(org: string, endpointId: string, now: number, limit: number): Promise<WebhookDelivery[]> {
    return due.all(conn, { org, endpoint: endpointId, until: now + 1, limit });
  },
  /** The due delivery with the fewest attempts. So events that the endpoint refuses, however many, do not hold back a new one. */
  async leastTried(org: string, endpointId: string, now: number): Promise<WebhookDelivery | undefined> {
    // The newest first: those at the other end may all have been refused.
    const found = await candidates.all(conn, { org, endpoint: endpointId, until: now + 1 });
    const [best] = found.reverse().toSorted((a, b) => a.attempts - b.attempts);
    return best && get.first(conn, { org, id: best.id });
  },
  /** When the endpoint's next delivery is due. Undefined: none is pending. */
  async nextDue(org: string, endpointId: string): Promise<number | undefined> {
    const [next] = await due.all(conn, { org, endpoint: endpointId, until: Number.MAX_SAFE_INTEGER, limit: 1 });
    return next?.nextAt ?? undefined;
  },
  /** An endpoint's pending deliveries with ids below this one, oldest first. `firstIdOf` makes an id of a time. */
  async pendingBefore(org: string, endpointId: string, id: string, limit: number): Promise<WebhookDelivery[]> {
    return pendingBefore.all(conn, { org, endpoint: endpointId, before: id, limit });
  },
});

export const webhookDeliveryWrites = (conn: Conn) => {
  /** Makes the first pending delivery of a subject due, if it waited for an earlier one. */
  async function goOn(place: Place): Promise<void> {
    const next = await firstPending.first(conn, place);
    if (next?.nextAt !== null) return;
    await setNext.run(conn, { org: place.organizationId, id: next.id, at: next.createdAt });
  }

  /** Ends a delivery. `facts` without a time: no attempt was made. False if the delivery has changed since it was read. */
  async function finish(
    seen: WebhookDelivery,
    status: 'DELIVERED' | 'DEAD',
    now: number,
    facts: DeliveryAttempt | Pick<DeliveryAttempt, 'lastError'>,
  ): Promise<boolean> {
    const attempts = seen.attempts + ('lastAttemptAt' in facts ? 1 : 0);
    const to = { ...seen, ...facts, attempts, status, nextAt: null, endedAt: now, seen: seen.attempts };
    return (await settle.run(conn, to)) === 1;
  }

  return {
    /**
     * Adds deliveries in the order of their events, and makes their endpoints due. The endpoints' rows are locked first, so that no
     * earlier delivery of a subject ends meanwhile unseen.
     */
    async insert(deliveries: readonly NewDelivery[]): Promise<void> {
      const idle = new Set<string>();
      const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
      for (const [endpointId, some] of [...byEndpoint].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const { organizationId, createdAt } = some[0]!;
        const pending = await addToQueue(conn, { organizationId, endpointId }, some.length, createdAt);
        if (pending === some.length) idle.add(endpointId);
      }
      await insertDeliveries(conn, deliveries, idle);
    },
    /** Notes an attempt, and when the next one is due. False if the delivery has changed since it was read. */
    async retryAt(seen: WebhookDelivery, nextAt: number, attempt: DeliveryAttempt): Promise<boolean> {
      const to = { ...seen, ...attempt, nextAt, attempts: seen.attempts + 1, seen: seen.attempts };
      return (await settle.run(conn, to)) === 1;
    },
    /** Like `end`, for a caller that holds the endpoint's row, counts what is pending, and calls `goOn`. */
    finish,
    /** Makes the next delivery of an ended one's subject due. The endpoint's row must be held. */
    goOn,
    /**
     * Ends a delivery; the next one of its subject is due then. False if the delivery has changed since it was read. Its endpoint's row
     * is locked from then on.
     */
    async end(...[seen, ...rest]: Parameters<typeof finish>): Promise<boolean> {
      if (!(await finish(seen, ...rest))) return false;
      await addToQueue(conn, seen, -1, Number.MAX_SAFE_INTEGER);
      await goOn(seen);
      return true;
    },
    /** Makes retries of an endpoint due now, because it works again. */
    async hasten(organizationId: string, endpointId: string, now: number): Promise<void> {
      await hasten.run(conn, { org: organizationId, endpoint: endpointId, now });
    },
    /** Makes all that can be tried due, as if it was new. */
    async beginAfresh(organizationId: string, endpointId: string, now: number): Promise<void> {
      await afresh.run(conn, { org: organizationId, endpoint: endpointId, now });
    },
    /** Makes a delivery that has ended pending again, beside others of its subject. False if it has not ended, or does not exist. */
    async resend(organizationId: string, id: string, now: number): Promise<boolean> {
      if ((await again.run(conn, { org: organizationId, id, now, subject: `again ${id}` })) !== 1) return false;
      const { endpointId } = (await get.first(conn, { org: organizationId, id }))!;
      await addToQueue(conn, { organizationId, endpointId }, 1, now);
      return true;
    },
    /** Removes deliveries of all organizations that ended before a time. True if there may be more. */
    async sweep(before: number, limit: number): Promise<boolean> {
      const found = await ended.all(conn, { before, limit });
      for (const { organizationId: org, id } of found) await remove.run(conn, { org, id });
      return found.length === limit;
    },
  };
};
