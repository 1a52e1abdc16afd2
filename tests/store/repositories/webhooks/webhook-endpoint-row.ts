import type { WebhookEndpoint } from '../../../../src/model/webhook.ts';
import { idOf, NOW } from '../../names.ts';

export const webhookEndpointOf = (organizationId: string, id: string, more: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  organizationId,
  id: idOf(id),
  url: 'https://example.com/hooks',
  name: 'Receiver',
  isActive: true,
  subscriptions: [{ eventType: 'BALANCE_CONFIRMED_UPDATES', isActive: true }],
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});
