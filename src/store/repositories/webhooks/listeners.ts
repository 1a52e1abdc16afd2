import { bitOf } from '../../../model/webhook.ts';
import { type Conn, statement } from '../../statement.ts';

const endpoints = statement((db, p: { org: string }) =>
  db
    .selectFrom('webhook_endpoints as e')
    .leftJoin('webhook_queues as q', (j) =>
      j.onRef('q.organization_id', '=', 'e.organization_id').onRef('q.endpoint_id', '=', 'e.id'),
    )
    .select(['e.is_active as isActive', 'e.subscriptions', 'q.paused_at as pausedAt'])
    .where('e.organization_id', '=', p.org),
);
const streamed = statement((db, p: { org: string }) =>
  db.selectFrom('stream_interests').select('until').where('organization_id', '=', p.org).where('until', '>', 0),
);
const set = statement((db, p: { org: string; listeners: number }) =>
  db.updateTable('organizations').set({ listeners: p.listeners }).where('id', '=', p.org).where('listeners', '!=', p.listeners),
);

/**
 * Notes which event types the endpoints and streams of an organization want. Every write that changes this calls it, in a transaction
 * that holds the organization's row. The events of an endpoint that the service paused are kept for it.
 */
export async function noteListeners(conn: Conn, org: string): Promise<void> {
  let listeners = (await streamed.first(conn, { org })) === undefined ? 0 : bitOf('ACTIVITY_UPDATES');
  for (const { isActive, pausedAt, subscriptions } of await endpoints.all(conn, { org }))
    if (isActive || pausedAt !== null)
      for (const subscription of subscriptions) if (subscription.isActive) listeners |= bitOf(subscription.eventType);
  await set.run(conn, { org, listeners });
}
