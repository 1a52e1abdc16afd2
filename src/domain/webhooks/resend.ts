import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { WebhookDelivery } from '../../model/webhook-delivery.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { requireActive } from './endpoints.ts';

const FIELD = 'parameters.deliveryIds';

type Asked = { delivery: WebhookDelivery; field: string };

async function deliveryOf(read: Reader, organizationId: string, id: string): Promise<WebhookDelivery> {
  const found = await read.webhookDeliveries.get(organizationId, id);
  if (found === undefined) throw new ApiError('NOT_FOUND', `webhook delivery not found: ${FIELD} names ${id}`);
  return found;
}

async function requireEndpoints(read: Reader, asked: readonly Asked[]): Promise<void> {
  const first = new Map(asked.toReversed().map((one) => [one.delivery.endpointId, one]));
  for (const [endpointId, { delivery, field }] of first) {
    const endpoint = await read.webhookEndpoints.get(delivery.organizationId, endpointId);
    if (endpoint === undefined) throw invalid(field, `webhook endpoint ${endpointId} of this delivery was deleted: leave it out`);
    requireActive(endpoint, field);
  }
}

async function requireEvents(read: Reader, asked: readonly Asked[]): Promise<void> {
  const kept = new Set(await read.webhookEvents.stillStored(asked.map(({ delivery }) => delivery.position)));
  const gone = asked.find(({ delivery }) => !kept.has(delivery.position));
  if (gone !== undefined)
    throw invalid(gone.field, `event ${gone.delivery.eventId} is no longer kept, so its body cannot be sent again: leave it out`);
}

/** Sends deliveries again that have ended, all or none. Throws NOT_FOUND, and REQUEST_INVALID for those that cannot be sent again. */
export async function resendDeliveries(tx: Writer, organizationId: string, ids: readonly string[], now: number): Promise<void> {
  const asked: Asked[] = [];
  for (const [i, id] of ids.entries()) {
    const [delivery, field] = [await deliveryOf(tx, organizationId, id), `${FIELD}[${i}]`];
    if (delivery.status === 'PENDING')
      throw invalid(field, `delivery ${id} is pending, and is sent without a request: leave it out`);
    asked.push({ delivery, field });
  }
  await requireEndpoints(tx, asked);
  await requireEvents(tx, asked);
  // As fan-out locks the endpoints, so that the two never wait for each other.
  const byEndpoint = asked.toSorted((a, b) => (a.delivery.endpointId < b.delivery.endpointId ? -1 : 1));
  for (const id of new Set(byEndpoint.map(({ delivery }) => delivery.id)))
    await tx.webhookDeliveries.resend(organizationId, id, now);
}
resendDeliveries.errors = errorsOf('NOT_FOUND', requireActive, 'REQUEST_INVALID');
