import { createHash } from 'node:crypto';
import type { StreamEvent } from '../../../../src/model/stream.ts';
import type { NewDelivery, WebhookDelivery, WebhookQueue } from '../../../../src/model/webhook-delivery.ts';
import type { NewWebhookEvent } from '../../../../src/model/webhook-event.ts';
import { idOf, NOW } from '../../names.ts';

export const webhookEventOf = (organizationId: string, id: string, more: Partial<NewWebhookEvent> = {}): NewWebhookEvent => ({
  organizationId,
  id: idOf(id),
  parentId: null,
  eventType: 'ACTIVITY_UPDATES',
  subject: idOf('activity'),
  filters: { activityStatus: 'ACTIVITY_STATUS_COMPLETED' },
  body: Buffer.from('{}'),
  createdAt: NOW,
  ...more,
});

export const webhookDeliveryOf = (organizationId: string, id: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
  organizationId,
  id: idOf(id),
  endpointId: idOf('webhook endpoint'),
  eventId: idOf('webhook event'),
  position: 1,
  eventType: 'ACTIVITY_UPDATES',
  subject: idOf('activity'),
  createdAt: NOW,
  ...more,
});

/** A delivery as it is read. */
export const storedDeliveryOf = (organizationId: string, id: string, more: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...webhookDeliveryOf(organizationId, id),
  status: 'PENDING',
  attempts: 0,
  nextAt: NOW,
  firstAttemptAt: null,
  lastAttemptAt: null,
  lastDurationMs: null,
  lastStatusCode: null,
  lastAnswer: '',
  lastError: '',
  endedAt: null,
  ...more,
});

export const webhookQueueOf = (organizationId: string, more: Partial<WebhookQueue> = {}): WebhookQueue => ({
  organizationId,
  endpointId: idOf('webhook endpoint'),
  pending: 1,
  nextAt: NOW,
  failures: 0,
  failingSince: null,
  noSuccessSince: null,
  pausedAt: null,
  mailedAt: null,
  owner: '',
  leaseUntil: 0,
  ...more,
});

export const streamEventOf = (organizationId: string, sequence: number, more: Partial<StreamEvent> = {}): StreamEvent => ({
  organizationId,
  sequence,
  position: 900 + sequence,
  sourceId: organizationId,
  isDelivered: false,
  createdAt: NOW,
  ...more,
});

/** 64 characters of lower-case hex, for a name. */
export const kidOf = (name: string): string => createHash('sha256').update(name).digest('hex');
