import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { DELIVERY_STATUSES, eventSubject, type WebhookDelivery } from '../model/webhook-delivery.ts';
import { IdOut, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';

export const DeliveryStatusName = oneOf('status', DELIVERY_STATUSES);

const LastAttempt = z.object({
  attemptedAt: Timestamp,
  durationMs: z.int(),
  /** Absent: there was no answer. */
  statusCode: z.int().optional(),
  /** At most 1 KiB of it. */
  answer: z.string().optional(),
});

export const WebhookDeliveryRow = z.object({
  deliveryId: IdOut,
  organizationId: IdOut,
  endpointId: IdOut,
  eventId: IdOut,
  eventType: z.string(),
  /** What the event is about: an activity, a send, or an address and an asset. */
  subject: z.string(),
  /** PENDING, DELIVERED, or DEAD, which is given up. */
  status: z.string(),
  attempts: z.int(),
  lastAttempt: LastAttempt.optional(),
  /** Why there was no answer, or why it was given up without an attempt. */
  error: z.string().optional(),
  /** Absent while it waits for an earlier event of its subject, and once it has ended. */
  nextAttemptAt: Timestamp.optional(),
  createdAt: Timestamp,
  endedAt: Timestamp.optional(),
});

function lastAttemptOf(delivery: WebhookDelivery): z.output<typeof LastAttempt> | undefined {
  const { lastAttemptAt, lastDurationMs, lastStatusCode, lastAnswer } = delivery;
  if (lastAttemptAt === null) return undefined;
  const answer = lastStatusCode === null ? {} : { statusCode: lastStatusCode, answer: lastAnswer };
  return { attemptedAt: wireTimestamp(lastAttemptAt), durationMs: lastDurationMs ?? 0, ...answer };
}

const timeOrNone = <K extends string>(name: K, at: number | null) =>
  (at === null ? {} : { [name]: wireTimestamp(at) }) as { [N in K]?: z.output<typeof Timestamp> };

export function viewDelivery(delivery: WebhookDelivery): z.output<typeof WebhookDeliveryRow> {
  const { id, organizationId, endpointId, eventId, eventType, subject, status, attempts, lastError } = delivery;
  const lastAttempt = lastAttemptOf(delivery);
  return {
    deliveryId: id,
    organizationId,
    endpointId,
    eventId,
    eventType,
    subject: eventSubject(subject),
    status,
    attempts,
    ...(lastAttempt === undefined ? {} : { lastAttempt }),
    ...(lastError === '' ? {} : { error: lastError }),
    ...timeOrNone('nextAttemptAt', delivery.nextAt),
    createdAt: wireTimestamp(delivery.createdAt),
    ...timeOrNone('endedAt', delivery.endedAt),
  };
}
