import { listens } from '../model/webhook.ts';
import type { NewWebhookEvent } from '../model/webhook-event.ts';
import { nowIn, nowOnSqlite } from './repositories/people/organizations.ts';
import { insertEvent } from './repositories/webhooks/webhook-events.ts';
import type { Conn } from './statement.ts';

/** Records events of counters, in the transaction that counts. Only a counter that gets nearly full asks whether an endpoint listens. */
export async function recordAlerts(conn: Conn, events: readonly NewWebhookEvent[]): Promise<void> {
  for (const event of events) {
    const { listeners = 0 } = (await nowIn(conn, { id: event.organizationId })) ?? {};
    if (listens(listeners, 'COUNTERSIGN_VELOCITY_NEARLY_FULL')) await insertEvent.run(conn, event);
  }
}

/** SQLite: the same, inside the group's transaction. */
export function recordAlertsNow(conn: Conn, events: readonly NewWebhookEvent[]): void {
  for (const event of events) {
    const { listeners = 0 } = nowOnSqlite(conn, { id: event.organizationId }) ?? {};
    if (listens(listeners, 'COUNTERSIGN_VELOCITY_NEARLY_FULL')) insertEvent.runNow(conn, event);
  }
}
