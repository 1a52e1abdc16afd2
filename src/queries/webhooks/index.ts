import type { QueryKind } from '../../engine/query/declare.ts';
import { listWebhookEndpoints } from './list-webhook-endpoints.ts';

export const webhooks: readonly QueryKind[] = [listWebhookEndpoints];
