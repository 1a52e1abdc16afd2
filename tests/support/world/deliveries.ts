import type { WebhookDelivery } from '../../../src/model/webhook-delivery.ts';
import type { NewWebhookEvent } from '../../../src/model/webhook-event.ts';
import type { Client } from '../client.ts';
import type { Instance } from '../instance.ts';

type Place = { instance: Instance; client: Pick<Client, 'organizationId'> };

/** A delivery that an endpoint refused, with its event, as stored. */
export async function newDelivery(
  { instance, client: { organizationId } }: Place,
  endpointId: string,
  facts: Partial<NewWebhookEvent> = {},
): Promise<WebhookDelivery> {
  const { store, ids, clock } = instance.engine;
  const createdAt = clock.now();
  const eventId = ids.next();
  const event: NewWebhookEvent = {
    organizationId,
    id: eventId,
    parentId: null,
    eventType: 'ACTIVITY_UPDATES',
    subject: ids.next(),
    filters: {},
    body: Buffer.from(JSON.stringify({ text: `grün ${eventId}` })),
    createdAt,
    ...facts,
  };
  const { subject, eventType } = event;
  const id = ids.next();
  return store.transaction(async (tx) => {
    await tx.webhookEvents.insert(event);
    const { position } = (await tx.webhookEvents.waiting(1000)).find((one) => one.id === eventId)!;
    await tx.webhookEvents.fannedOut([position], createdAt);
    await tx.webhookDeliveries.insert([{ organizationId, id, endpointId, eventId, position, subject, eventType, createdAt }]);
    const refusal = {
      firstAttemptAt: createdAt,
      lastAttemptAt: createdAt,
      lastDurationMs: 12,
      lastStatusCode: 404,
      lastAnswer: 'nobody here',
      lastError: '',
    };
    await tx.webhookDeliveries.end((await tx.webhookDeliveries.get(organizationId, id))!, 'DEAD', createdAt, refusal);
    return (await tx.webhookDeliveries.get(organizationId, id))!;
  });
}
