import { type NewDelivery, subjectAgain, type WebhookDelivery, type WebhookQueue } from '../../../model/webhook-delivery.ts';
import { list } from '../../columns.ts';
import type { Page } from '../../page.ts';
import { inRange } from '../../ranges.ts';
import { type Conn, dynamic, statement, written } from '../../statement.ts';
import { webhookDeliveries } from '../../tables/webhook-deliveries.ts';
import { type DeliveryFilter, pageOfDeliveries } from './delivery-pages.ts';
import { firstPending, insertDeliveries, type Place } from './new-deliveries.ts';
import { type Outcome, type QueueKey, writeDeliveries } from './rounds.ts';
import { addToQueues, type Lease } from './webhook-queues.ts';

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('webhook_deliveries').select(webhookDeliveries.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);

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

const setNext = statement((db, p: { org: string; id: string; at: number }) =>
  db.updateTable('webhook_deliveries').set({ next_at: p.at }).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const later = dynamic({}, (db, p: { org: string; endpoint: string; after: number; limit: number }) =>
  inRange(
    db
      .selectFrom('webhook_deliveries')
      .select(['id', 'next_at as nextAt', 'last_status_code as lastStatusCode', 'last_attempt_at as lastAttemptAt'])
      .where('organization_id', '=', p.org)
      .where('endpoint_id', '=', p.endpoint)
      .where('next_at', 'is not', null),
    { fixed: [['endpoint_id', p.endpoint]], key: 'next_at', above: p.after, below: undefined, descending: false, limit: p.limit },
  ),
);
const { organizationId, nextAt, id } = webhookDeliveries.model;
const setNextOfAll = written('postgres')(
  `UPDATE webhook_deliveries d SET next_at = $2 FROM unnest($3::uuid[]) AS g(id) WHERE d.organization_id = $1 AND d.id = g.id`,
  organizationId,
  nextAt,
  list(id),
);
/** It says when the receiver may be asked again. */
const TOO_MANY_REQUESTS = 429;
const afresh = statement((db, p: { org: string; id: string }) =>
  db
    .updateTable('webhook_deliveries')
    .set({ attempts: 0, first_attempt_at: null })
    .where('organization_id', '=', p.org)
    .where('id', '=', p.id),
);
const again = statement((db, p: { org: string; id: string; now: number; subject: string }) =>
  db
    .updateTable('webhook_deliveries')
    // Its attempts count anew, as its retries do.
    .set({ status: 'PENDING', attempts: 0, next_at: p.now, first_attempt_at: null, ended_at: null, subject: p.subject })
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
const removal = {
  sqlite: written('sqlite')('DELETE FROM webhook_deliveries WHERE organization_id = ? AND id = ?', organizationId, id),
  postgres: written('postgres')(
    `DELETE FROM webhook_deliveries d USING unnest($1::uuid[], $2::uuid[]) AS g(organization_id, id)
    WHERE d.organization_id = g.organization_id AND d.id = g.id`,
    list(organizationId),
    list(id),
  ),
};

export const webhookDeliveryReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<WebhookDelivery | undefined> {
    return get.first(conn, { org, id });
  },
  /** Newest first. */
  page: (org: string, filter: DeliveryFilter, page: Page): Promise<WebhookDelivery[]> =>
    pageOfDeliveries(conn, org, filter, page),
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

/** Endpoints that a process takes when it makes their deliveries: at most this number, of those that it `may`. */
export type Claim = Lease & { most: number; may(endpointId: string): boolean };
export type ClaimedQueue = { queue: WebhookQueue; first: WebhookDelivery };

/** The time without a success is read when a round is recorded. */
const HEALTHY = { failures: 0, failingSince: null, noSuccessSince: null, pausedAt: null, mailedAt: null };

export const webhookDeliveryWrites = (conn: Conn) => {
  /** Makes the first pending delivery of a subject due, if it waited for an earlier one. */
  async function goOn(place: Place): Promise<void> {
    const next = await firstPending.first(conn, place);
    if (next?.nextAt !== null) return;
    await setNext.run(conn, { org: place.organizationId, id: next.id, at: next.createdAt });
  }

  return {
    /**
     * Adds deliveries in the order of their events, and makes their endpoints due. The endpoints' rows are locked first, so that no
     * earlier delivery of a subject ends meanwhile unseen. With a lease, claims at most `most` endpoints that are healthy and had nothing to
     * deliver. Returns their queues, each with its first delivery.
     */
    async insert(deliveries: readonly NewDelivery[], claim?: Claim): Promise<ClaimedQueue[]> {
      const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
      let room = claim?.most ?? 0;
      const more = [...byEndpoint].map(([endpointId, some]) => {
        const { organizationId, createdAt } = some[0]!;
        const lease = room > 0 && claim?.may(endpointId) ? claim : undefined;
        if (lease !== undefined) room--;
        return { organizationId, endpointId, more: some.length, at: createdAt, lease };
      });
      const added = await addToQueues(conn, more);
      const idle = new Set(added.filter((one) => one.pending === one.more).map(({ endpointId }) => endpointId));
      const rows = await insertDeliveries(conn, deliveries, idle);
      return added.flatMap(({ organizationId, endpointId, pending, lease, isClaimed }) => {
        if (lease === undefined || !isClaimed) return [];
        const { owner, leaseUntil } = lease;
        const queue = { ...HEALTHY, organizationId, endpointId, pending, owner, leaseUntil, nextAt: leaseUntil };
        return [{ queue, first: rows.find((row) => row.endpointId === endpointId)! }];
      });
    },
    /**
     * Ends deliveries, or notes attempts and when the next ones are due. Returns the ids of the deliveries that it wrote. It leaves a
     * delivery that has changed since it was read. The caller holds the endpoints' rows, counts pending deliveries, and calls `goOn`.
     */
    note: (outcomes: readonly Outcome[]): Promise<Set<string>> => writeDeliveries(conn, outcomes),
    /** Makes the next delivery of an ended one's subject due. The endpoint's row must be held. */
    goOn,
    /**
     * Ends a delivery; the next one of its subject is due then. False if the delivery has changed since it was read. Its endpoint's row
     * is locked from then on.
     */
    async end(seen: WebhookDelivery, status: 'DELIVERED' | 'DEAD', now: number, facts: Outcome['facts']): Promise<boolean> {
      const ended = await writeDeliveries(conn, [{ seen, status, nextAt: null, endedAt: now, facts }]);
      if (!ended.has(seen.id)) return false;
      const { organizationId, endpointId } = seen;
      await addToQueues(conn, [{ organizationId, endpointId, more: -1, at: Number.MAX_SAFE_INTEGER }]);
      await goOn(seen);
      return true;
    },
    /**
     * Makes some retries of an endpoint due now, because it works again: of those that are due after a time. Returns the time to go on
     * from, or undefined after the last ones. Those after 429 stay, unless the endpoint was changed since.
     */
    async hasten(
      { organizationId: org, endpointId: endpoint }: QueueKey,
      { now, after, changedAt, limit }: { now: number; after: number; changedAt: number; limit: number },
    ): Promise<number | undefined> {
      const found = await later.all(conn, { org, endpoint, after, limit });
      const ids = found
        .filter(({ lastStatusCode, lastAttemptAt }) => lastStatusCode !== TOO_MANY_REQUESTS || lastAttemptAt! < changedAt)
        .map(({ id }) => id);
      if (conn.engine === 'postgres') await setNextOfAll.run(conn, [org, now, ids]);
      else for (const id of ids) await setNext.run(conn, { org, id, at: now });
      if (found.length < limit) return undefined;
      // Others may be due at the same time as the last one.
      return found.at(-1)!.nextAt! - (ids.length > 0 ? 1 : 0);
    },
    /** Counts the attempts of deliveries anew. The endpoint's row must be held. */
    async beginAfresh(organizationId: string, ids: readonly string[]): Promise<void> {
      for (const id of ids) await afresh.run(conn, { org: organizationId, id });
    },
    /** Makes a delivery that has ended pending again, beside others of its subject. False if it has not ended, or does not exist. */
    async resend(organizationId: string, id: string, now: number): Promise<boolean> {
      const found = await get.first(conn, { org: organizationId, id });
      const subject = found === undefined ? '' : subjectAgain(found);
      if ((await again.run(conn, { org: organizationId, id, now, subject })) !== 1) return false;
      await addToQueues(conn, [{ organizationId, endpointId: found!.endpointId, more: 1, at: now }]);
      return true;
    },
    /** Removes deliveries of all organizations that ended before a time. True if there may be more. */
    async sweep(before: number, limit: number): Promise<boolean> {
      const found = await ended.all(conn, { before, limit });
      if (conn.engine === 'postgres')
        await removal.postgres.run(conn, [found.map(({ organizationId }) => organizationId), found.map(({ id }) => id)]);
      else for (const { organizationId, id } of found) await removal.sqlite.run(conn, [organizationId, id]);
      return found.length === limit;
    },
  };
};
