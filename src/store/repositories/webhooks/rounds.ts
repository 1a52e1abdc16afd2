import type { DeliveryAttempt, WebhookDelivery, WebhookQueue } from '../../../model/webhook-delivery.ts';
import { arrays } from '../../arrays.ts';
import { type Column, int, list } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { webhookDeliveries } from '../../tables/webhook-deliveries.ts';
import { webhookQueues } from '../../tables/webhook-queues.ts';

// The writes at the end of rounds of attempts: on PostgreSQL one statement for all of them.

/** The key of a queue. */
export type QueueKey = Pick<WebhookQueue, 'organizationId' | 'endpointId'>;

const KEYS = ['organizationId', 'endpointId'] as const;
const keyColumns = KEYS.map((name) => list(webhookQueues.model[name]));
const typed = (columns: readonly Column<unknown>[]) =>
  columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`).join(', ');
const arraysOf = (keys: readonly QueueKey[]) => KEYS.map((name) => keys.map((key) => key[name]));

const owned = statement(
  (db, p: QueueKey & { owner: string }) =>
    db
      .selectFrom('webhook_queues')
      .select(webhookQueues.all)
      .where('organization_id', '=', p.organizationId)
      .where('endpoint_id', '=', p.endpointId)
      .where('owner', '=', p.owner),
  'sqlite',
);
const QUEUE = webhookQueues.all.map((column) => {
  const [name, alias = name] = column.split(' as ');
  return `q.${name} AS "${alias}"`;
});
/** The order of claims, so that no two processes wait for each other. */
const lockAll = written<WebhookQueue>('postgres')(
  `SELECT ${QUEUE.join(', ')} FROM webhook_queues q
  JOIN unnest(${typed(keyColumns)}) AS g(organization_id, endpoint_id)
  ON q.organization_id = g.organization_id AND q.endpoint_id = g.endpoint_id
  WHERE q.owner = $3 ORDER BY q.endpoint_id FOR UPDATE OF q`,
  ...(keyColumns as Column<unknown>[]),
  webhookQueues.model.owner as Column<unknown>,
);

/** Those of the queues that the process still has. Their rows are locked until the transaction ends. */
export async function lockQueues(conn: Conn, keys: readonly QueueKey[], owner: string): Promise<WebhookQueue[]> {
  if (conn.engine === 'postgres') return lockAll.all(conn, [...arraysOf(keys), owner] as never);
  const found: WebhookQueue[] = [];
  for (const key of keys) found.push(...(await owned.all(conn, { ...key, owner })));
  return found;
}

const writeQueue = statement(
  (db, p: WebhookQueue) =>
    db
      .updateTable('webhook_queues')
      .set({
        pending: p.pending,
        failures: p.failures,
        failing_since: p.failingSince,
        no_success_since: p.noSuccessSince,
        next_at: p.nextAt,
        owner: p.owner,
        lease_until: p.leaseUntil,
      })
      .where('organization_id', '=', p.organizationId)
      .where('endpoint_id', '=', p.endpointId),
  'sqlite',
);
const QUEUES = arrays(webhookQueues, ['paused_at', 'mailed_at']);
const CHANGED = ['pending', 'failures', 'failing_since', 'no_success_since', 'next_at', 'owner', 'lease_until'];
const writeQueues = written('postgres')(
  `UPDATE webhook_queues q SET ${CHANGED.map((name) => `${name} = g.${name}`).join(', ')}
  FROM unnest(${typed(QUEUES.columns)}) AS g(${QUEUES.names.join(', ')})
  WHERE q.organization_id = g.organization_id AND q.endpoint_id = g.endpoint_id`,
  ...(QUEUES.columns as Column<unknown>[]),
);

/** Writes what rounds have changed: the numbers of pending deliveries, health and leases. The rows must be locked. */
export async function settleQueues(conn: Conn, queues: readonly WebhookQueue[]): Promise<void> {
  if (conn.engine === 'postgres') await writeQueues.run(conn, QUEUES.of(queues) as never);
  else for (const queue of queues) await writeQueue.run(conn, queue);
}

/** What becomes of a delivery: it ends, or is tried again at a time. `facts` without a time: no attempt was made. */
export type Outcome = {
  seen: WebhookDelivery;
  status: WebhookDelivery['status'];
  nextAt: number | null;
  endedAt: number | null;
  facts: (DeliveryAttempt & Pick<WebhookDelivery, 'firstAttemptAt'>) | Pick<DeliveryAttempt, 'lastError'>;
};

const writeOutcome = statement(
  (db, p: WebhookDelivery & { seen: number }) =>
    db
      .updateTable('webhook_deliveries')
      .set({
        status: p.status,
        attempts: p.attempts,
        next_at: p.nextAt,
        first_attempt_at: p.firstAttemptAt,
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
  'sqlite',
);
const KEPT = ['endpoint_id', 'event_id', 'position', 'event_type', 'subject', 'created_at'];
const OUTCOMES = arrays(webhookDeliveries, KEPT);
const outcomeColumns = [...(OUTCOMES.columns as Column<unknown>[]), list(int()) as Column<unknown>];
const SET = OUTCOMES.names.filter((name) => name !== 'organization_id' && name !== 'id');
// Not `IS NULL`: with that PostgreSQL may read the whole index of pending deliveries.
const writeOutcomes = written<{ id: string }>('postgres')(
  `UPDATE webhook_deliveries d SET ${SET.map((name) => `${name} = g.${name}`).join(', ')}
  FROM unnest(${typed(outcomeColumns)}) AS g(${OUTCOMES.names.join(', ')}, seen)
  WHERE d.organization_id = g.organization_id AND d.id = g.id AND d.attempts = g.seen AND coalesce(d.ended_at, -1) = -1
  RETURNING d.id`,
  ...outcomeColumns,
);

function after({ seen, facts, ...to }: Outcome): WebhookDelivery & { seen: number } {
  const attempts = seen.attempts + ('lastAttemptAt' in facts ? 1 : 0);
  return { ...seen, ...facts, ...to, attempts, seen: seen.attempts };
}

/** Returns the ids of those that were written. A delivery that has changed since it was read is left as it is. */
export async function writeDeliveries(conn: Conn, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const rows = outcomes.map(after);
  if (conn.engine === 'postgres') {
    if (rows.length === 0) return new Set();
    const given = [...OUTCOMES.of(rows), rows.map(({ seen }) => seen)];
    return new Set((await writeOutcomes.all(conn, given as never)).map(({ id }) => id));
  }
  const done = new Set<string>();
  for (const row of rows) if ((await writeOutcome.run(conn, row)) === 1) done.add(row.id);
  return done;
}
