import type { DeliveryStatus } from '../../model/webhook-delivery.ts';
import type { EventType } from '../../model/webhook-event.ts';
import { id, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const webhookDeliveries = table('webhook_deliveries', {
  organizationId: id(),
  id: id(),
  endpointId: id(),
  eventId: id(),
  position: int(),
  eventType: text<EventType>(),
  subject: text(),
  status: text<DeliveryStatus>(),
  attempts: int(),
  nextAt: nullable(int()),
  firstAttemptAt: nullable(int()),
  lastAttemptAt: nullable(int()),
  lastDurationMs: nullable(int()),
  lastStatusCode: nullable(int()),
  lastAnswer: text(),
  lastError: text(),
  createdAt: int(),
  endedAt: nullable(int()),
});
