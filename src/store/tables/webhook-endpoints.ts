import type { WebhookSubscription } from '../../model/webhook.ts';
import { flag, id, int, json, text } from '../columns.ts';
import { table } from '../table.ts';

export const webhookEndpoints = table('webhook_endpoints', {
  organizationId: id(),
  id: id(),
  url: text(),
  name: text(),
  isActive: flag(),
  subscriptions: json<readonly WebhookSubscription[]>(),
  createdAt: int(),
  updatedAt: int(),
});
