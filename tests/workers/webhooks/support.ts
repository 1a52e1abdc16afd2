import type { Engine } from '../../../src/engine/engine.ts';
import { type Client, resultOf } from '../../support/client.ts';

/** No test here signs. So endpoints get only the events that a test stores, and not those of its other requests. */
const TYPE = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

export async function newEndpoint(client: Client, url: string, name = 'Receiver'): Promise<string> {
  const filtersJson = JSON.stringify({ activityType: [TYPE] });
  const parameters = { url, name, subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson }] };
  return resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult').endpointId;
}

/** Stores events of an organization, as a transaction does that makes them. Returns their ids. `bytes`: of each body, at least. */
export async function record(
  { store, ids, clock }: Engine,
  organizationId: string,
  subjects: readonly string[],
  bytes = 0,
): Promise<string[]> {
  const events = subjects.map((subject, i) => ({
    id: ids.next(),
    organizationId,
    parentId: null,
    eventType: 'ACTIVITY_UPDATES' as const,
    subject,
    filters: { activityType: TYPE, activityStatus: 'ACTIVITY_STATUS_COMPLETED' },
    body: Buffer.from(JSON.stringify({ subject, i, text: 'grün' }).padEnd(bytes)),
    createdAt: clock.now(),
  }));
  await store.transaction(async (tx) => {
    for (const event of events) await tx.webhookEvents.insert(event);
  });
  return events.map(({ id }) => id);
}
