import type { Engine } from '../../../src/engine/engine.ts';
import type { NewWebhookEvent } from '../../../src/model/webhook-event.ts';
import { type Client, resultOf } from '../../support/client.ts';

export async function newEndpoint(client: Client, url: string, eventType = 'ACTIVITY_UPDATES'): Promise<string> {
  const parameters = { url, name: 'Receiver', subscriptions: [{ eventType }] };
  return resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult').endpointId;
}

/** Stores events of an organization, as a transaction does that makes them. Returns their ids. */
export async function record(
  { store, ids, clock }: Engine,
  organizationId: string,
  subjects: readonly string[],
  more: Partial<NewWebhookEvent> = {},
): Promise<string[]> {
  const events = subjects.map((subject, i) => ({
    id: ids.next(),
    organizationId,
    parentId: null,
    eventType: 'ACTIVITY_UPDATES' as const,
    subject,
    filters: {},
    body: Buffer.from(JSON.stringify({ subject, i, text: 'grün' })),
    createdAt: clock.now(),
    ...more,
  }));
  await store.transaction(async (tx) => {
    for (const event of events) await tx.webhookEvents.insert(event);
  });
  return events.map(({ id }) => id);
}
