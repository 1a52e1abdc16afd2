import type { QueryKind } from '../../engine/query/declare.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhookEndpoints } from './list-webhook-endpoints.ts';

export const webhooks: readonly QueryKind[] = [listWebhookEndpoints, listWebhookDeliveries];
