import { z } from 'zod';
import { webhookEndpointOf } from '../../domain/webhooks/endpoints.ts';
import { requireNoFeature } from '../../domain/webhooks/feature-endpoint.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteWebhookEndpoint = activity({
  kind: 'DELETE_WEBHOOK_ENDPOINT',
  resource: 'WEBHOOK_ENDPOINT',
  action: 'DELETE',
  summary: 'Delete a webhook endpoint with its subscriptions',
  params: v1(z.object({ endpointId: Id })),
  policyParams: { endpoint_id: [STRING, ({ endpointId }) => endpointId] },
  result: { key: 'deleteWebhookEndpointResult', shape: z.object({ endpointId: IdOut }) },
  errors: [webhookEndpointOf, requireNoFeature],
  async execute({ ctx: { organization, store, now }, intent: { endpointId } }) {
    requireNoFeature(await webhookEndpointOf(store, organization.id, endpointId), 'parameters.endpointId');
    await store.webhookEndpoints.remove(organization.id, endpointId);
    // The worker finds that the endpoint is gone, and gives up what waits for it.
    await store.webhookQueues.resume(organization.id, endpointId, now);
    return { endpointId };
  },
});
