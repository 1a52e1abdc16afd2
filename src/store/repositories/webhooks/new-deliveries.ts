import type { NewDelivery, WebhookDelivery } from '../../../model/webhook-delivery.ts';
import { arrays } from '../../arrays.ts';
import type { Column } from '../../columns.ts';
import { type Conn, statement, written } from '../../statement.ts';
import { values } from '../../table.ts';
import { webhookDeliveries } from '../../tables/webhook-deliveries.ts';

/** Deliveries of one place are made in the order of their events. */
export type Place = Pick<WebhookDelivery, 'organizationId' | 'endpointId' | 'subject'>;

export const firstPending = statement((db, p: Place) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['id', 'next_at as nextAt', 'created_at as createdAt'])
    .where('organization_id', '=', p.organizationId)
    .where('endpoint_id', '=', p.endpointId)
    .where('subject', '=', p.subject)
    .where('ended_at', 'is', null)
    .orderBy('organization_id')
    .orderBy('endpoint_id')
    .orderBy('subject')
    .orderBy('position')
    .limit(1),
);
const insert = statement(
  (db, p: WebhookDelivery) => db.insertInto('webhook_deliveries').values(values(webhookDeliveries, p)),
  'sqlite',
);

const GIVEN = arrays(webhookDeliveries, []);
const NAMES = GIVEN.names.join(', ');
/** A delivery is due only when the earlier ones of its place have ended. */
const SAME_PLACE = ['organization_id', 'endpoint_id', 'subject'].map((name) => `d.${name} = g.${name}`).join(' AND ');
const EARLIER = `SELECT 1 FROM webhook_deliveries d WHERE ${SAME_PLACE} AND d.ended_at IS NULL LIMIT 1`;
// Not `EXISTS`: for that PostgreSQL may read the whole index of pending deliveries.
const NEXT_AT = `CASE WHEN (${EARLIER}) IS NULL THEN g.next_at END`;
const insertAll = written('postgres')(
  `INSERT INTO webhook_deliveries (${NAMES})
  SELECT ${GIVEN.names.map((name) => (name === 'next_at' ? NEXT_AT : `g.${name}`)).join(', ')}
  FROM unnest(${GIVEN.columns.map(({ postgres: { type } }, i) => `$${i + 1}::${type}`).join(', ')}) AS g(${NAMES})`,
  ...(GIVEN.columns as Column<unknown>[]),
);

const nameOf = ({ organizationId, endpointId, subject }: Place): string => `${organizationId} ${endpointId} ${subject}`;

/** The rows of new deliveries. The first one of each place may be due. */
function rowsOf(deliveries: readonly NewDelivery[]): WebhookDelivery[] {
  const seen = new Set<string>();
  return deliveries.map((delivery) => {
    const isFirst = !seen.has(nameOf(delivery));
    seen.add(nameOf(delivery));
    return {
      ...delivery,
      status: 'PENDING',
      attempts: 0,
      nextAt: isFirst ? delivery.createdAt : null,
      firstAttemptAt: null,
      lastAttemptAt: null,
      lastDurationMs: null,
      lastStatusCode: null,
      lastAnswer: '',
      lastError: '',
      endedAt: null,
    };
  });
}

/**
 * Adds deliveries in the order of their events. Their endpoints' rows are locked. `idle`: endpoints without earlier ones that are pending.
 * Returns the rows, which are right for idle endpoints.
 */
export async function insertDeliveries(
  conn: Conn,
  deliveries: readonly NewDelivery[],
  idle: ReadonlySet<string>,
): Promise<WebhookDelivery[]> {
  const rows = rowsOf(deliveries);
  if (conn.engine === 'postgres') await insertAll.run(conn, GIVEN.of(rows) as never);
  else
    for (const row of rows) {
      const isHeldBack = !idle.has(row.endpointId) && (await firstPending.first(conn, row)) !== undefined;
      await insert.run(conn, isHeldBack ? { ...row, nextAt: null } : row);
    }
  return rows;
}
