import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { isOfFeature, type WebhookEndpoint } from '../../model/webhook.ts';
import type { Writer } from '../../store/types.ts';

export const WEBHOOK_FEATURE = 'FEATURE_NAME_WEBHOOK';

/** Makes the endpoint of the older feature follow its value. Undefined: the feature is off. */
export async function followFeature(store: Writer, organizationId: string, url: string | undefined, now: number): Promise<void> {
  const { webhookEndpoints } = store;
  const old = await webhookEndpoints.get(organizationId, organizationId);
  if (url === undefined) {
    if (!(await webhookEndpoints.remove(organizationId, organizationId))) return;
    // The worker gives up what waits.
    await store.webhookQueues.resume(organizationId, organizationId, now);
  } else if (old === undefined) {
    await webhookEndpoints.insert({
      organizationId,
      id: organizationId,
      url,
      name: WEBHOOK_FEATURE,
      isActive: true,
      subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: true }],
      createdAt: now,
      updatedAt: now,
    });
  } else {
    await webhookEndpoints.replace({ ...old, url, isActive: true, updatedAt: now });
    await store.webhookQueues.resume(organizationId, organizationId, now);
  }
}

/** Throws REQUEST_INVALID for the endpoint of the feature, which alone changes its URL and deletes it. `field`: what asks for that. */
export function requireNoFeature(endpoint: WebhookEndpoint, field: string): void {
  if (isOfFeature(endpoint))
    throw invalid(field, `is of ${WEBHOOK_FEATURE}: use SET_ORGANIZATION_FEATURE or REMOVE_ORGANIZATION_FEATURE in its place`);
}
requireNoFeature.errors = errorsOf('REQUEST_INVALID');
