import { z } from 'zod';
import { requireRoom } from '../../domain/limits/limits.ts';
import { checkReceiver, checkSubscriptions, requireOwnEvents, reviewSubscriptions } from '../../domain/webhooks/endpoints.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';
import { SubscriptionParams, viewWebhookEndpoint, WebhookEndpoint, WebhookUrl } from '../../wire/webhooks.ts';

export const createWebhookEndpoint = activity({
  kind: 'CREATE_WEBHOOK_ENDPOINT',
  resource: 'WEBHOOK_ENDPOINT',
  action: 'CREATE',
  summary: 'Create an endpoint that receives events by webhook; without subscriptions it receives nothing',
  fences: true,
  params: v1(z.object({ url: WebhookUrl, name: Label, subscriptions: z.array(SubscriptionParams).max(16).optional() })),
  result: {
    key: 'createWebhookEndpointResult',
    shape: z.object({ endpointId: IdOut, webhookEndpoint: WebhookEndpoint }),
  },
  errors: [checkSubscriptions, requireOwnEvents, checkReceiver, requireRoom],
  check: ({ intent: { subscriptions = [] } }) => checkSubscriptions(subscriptions),
  review({ ctx, intent: { subscriptions = [] } }) {
    reviewSubscriptions(ctx, subscriptions);
    return undefined;
  },
  async prepare({ ctx, intent: { url, subscriptions = [] } }) {
    requireOwnEvents(ctx.organization, subscriptions);
    await checkReceiver(ctx, url);
  },
  async execute({ ctx: { organization, store, ids, limits, now }, intent: { url, name, subscriptions = [] } }) {
    const have = await store.organizations.count(organization.id, 'webhookEndpointCount');
    requireRoom(have, 1, limits.webhookEndpoints, 'webhook endpoints', 'LIMIT_WEBHOOK_ENDPOINTS');
    const endpoint = {
      organizationId: organization.id,
      id: ids.next(),
      url,
      name,
      isActive: true,
      subscriptions: subscriptions.map((subscription) => ({ ...subscription, isActive: subscription.isActive ?? true })),
      createdAt: now,
      updatedAt: now,
    };
    await store.webhookEndpoints.insert(endpoint);
    return { endpointId: endpoint.id, webhookEndpoint: viewWebhookEndpoint(endpoint) };
  },
});
