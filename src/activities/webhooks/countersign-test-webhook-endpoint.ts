import { z } from 'zod';
import { requireActive, webhookEndpointOf } from '../../domain/webhooks/endpoints.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

/** The public interface cannot test. */
export const countersignTestWebhookEndpoint = activity({
  kind: 'COUNTERSIGN_TEST_WEBHOOK_ENDPOINT',
  resource: 'WEBHOOK_ENDPOINT',
  action: 'UPDATE',
  summary: 'Send an event of type COUNTERSIGN_TEST to one webhook endpoint, whatever its subscriptions',
  params: v1(z.object({ endpointId: Id })),
  policyParams: { endpoint_id: [STRING, ({ endpointId }) => endpointId] },
  result: {
    key: 'countersignTestWebhookEndpointResult',
    shape: z.object({ endpointId: IdOut, eventId: IdOut }),
  },
  errors: [webhookEndpointOf, requireActive],
  async execute({ ctx: { organization, store, ids, activityId, now }, intent: { endpointId } }) {
    requireActive(await webhookEndpointOf(store, organization.id, endpointId), 'parameters.endpointId');
    const id = ids.next();
    const { id: organizationId, parentId } = organization;
    const msg = { endpointId, activityId, timestamp: Math.floor(now / 1000) };
    await store.webhookEvents.insert({
      organizationId,
      id,
      // Endpoints of the parent do not get it.
      parentId: null,
      eventType: 'COUNTERSIGN_TEST',
      // A test waits for no other event.
      subject: id,
      filters: { endpointId },
      body: Buffer.from(
        JSON.stringify({ type: 'countersign:test', organizationId, parentOrganizationId: parentId ?? organizationId, msg }),
      ),
      createdAt: now,
    });
    return { endpointId, eventId: id };
  },
});
