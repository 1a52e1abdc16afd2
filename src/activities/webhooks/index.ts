import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignResendWebhookDeliveries } from './countersign-resend-webhook-deliveries.ts';
import { countersignTestWebhookEndpoint } from './countersign-test-webhook-endpoint.ts';
import { createWebhookEndpoint } from './create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './delete-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './update-webhook-endpoint.ts';

export const webhooks: readonly ActivityKind[] = [
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  updateWebhookEndpoint,
  countersignResendWebhookDeliveries,
  countersignTestWebhookEndpoint,
];
