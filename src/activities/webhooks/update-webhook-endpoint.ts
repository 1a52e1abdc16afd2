import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { checkReceiver, webhookEndpointOf } from '../../domain/webhooks/endpoints.ts';
import { requireNoFeature } from '../../domain/webhooks/feature-endpoint.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';
import { viewWebhookEndpoint, WebhookEndpoint, WebhookUrl } from '../../wire/webhooks.ts';

export const updateWebhookEndpoint = activity({
  kind: 'UPDATE_WEBHOOK_ENDPOINT',
  resource: 'WEBHOOK_ENDPOINT',
  action: 'UPDATE',
  summary: 'Change the URL or name of a webhook endpoint, or pause or resume it; omitted members stay',
  fences: true,
  params: v1(z.object({ endpointId: Id, url: WebhookUrl.optional(), name: Label.optional(), isActive: z.boolean().optional() })),
  policyParams: { endpoint_id: [STRING, ({ endpointId }) => endpointId] },
  result: {
    key: 'updateWebhookEndpointResult',
    shape: z.object({ endpointId: IdOut, webhookEndpoint: WebhookEndpoint }),
  },
  errors: ['REQUEST_INVALID', checkReceiver, webhookEndpointOf, requireNoFeature],
  check({ intent: { url, name, isActive } }) {
    if ([url, name, isActive].every((given) => given === undefined))
      throw invalid('parameters', 'must have at least one of url, name and isActive');
  },
  async prepare({ ctx, intent: { url } }) {
    if (url !== undefined) await checkReceiver(ctx, url);
  },
  async execute({ ctx: { organization, store, now }, intent: { endpointId, url, name, isActive } }) {
    const old = await webhookEndpointOf(store, organization.id, endpointId);
    if (url !== undefined) requireNoFeature(old, 'parameters.url');
    const endpoint = {
      ...old,
      url: url ?? old.url,
      name: name ?? old.name,
      isActive: isActive ?? old.isActive,
      updatedAt: now,
    };
    await store.webhookEndpoints.replace(endpoint);
    if (isActive) await store.webhookQueues.resume(organization.id, endpointId, now);
    else if (isActive === false) await store.webhookQueues.pauseByUser(organization.id, endpointId);
    return { endpointId, webhookEndpoint: viewWebhookEndpoint(endpoint) };
  },
});
