import type { Ids } from '../../base/ids.ts';
import type { PausedEndpointMail } from '../../model/message.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import type { WebhookEndpoint } from '../../model/webhook.ts';
import type { WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Writer } from '../../store/types.ts';
import { KEPT_MS } from './attempts.ts';

type Pause = { queue: WebhookQueue; endpoint: WebhookEndpoint; ids: Ids; now: number };

async function mailRoots(tx: Writer, { endpoint: { organizationId, id, name, url }, ids, now }: Pause): Promise<void> {
  const organization = await tx.organizations.get(organizationId);
  if (organization === undefined) return;
  const users = await Promise.all(organization.rootQuorum.userIds.map((userId) => tx.users.get(organizationId, userId)));
  const expiresAt = now + KEPT_MS;
  for (const to of new Set(users.flatMap((user) => user?.email ?? []))) {
    const mail: PausedEndpointMail = {
      template: 'paused-endpoint',
      to,
      expiresAt,
      endpointId: id,
      endpointName: name,
      url,
      organizationName: organization.name,
    };
    await tx.outbox.insert({
      id: ids.next(),
      organizationId,
      payerId: topLevelIdOf(organization),
      // No activity caused it. Messages of one endpoint are sent in order.
      activityId: id,
      topic: 'mail',
      payload: JSON.stringify(mail),
      createdAt: now,
      expiresAt,
    });
  }
}

/** Pauses an endpoint that failed for too long, and tells root users once. The queue's row must be held. */
export async function pauseEndpoint(tx: Writer, pause: Pause): Promise<void> {
  const { queue, endpoint, now } = pause;
  await tx.organizations.hold(endpoint.organizationId);
  const current = await tx.webhookEndpoints.get(endpoint.organizationId, endpoint.id);
  if (current === undefined || !current.isActive) return;
  await tx.webhookQueues.change(queue, { pausedAt: now, mailedAt: queue.mailedAt ?? now });
  await tx.webhookEndpoints.replace({ ...current, isActive: false, updatedAt: now });
  if (queue.mailedAt === null) await mailRoots(tx, pause);
}
