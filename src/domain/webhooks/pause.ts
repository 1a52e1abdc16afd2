import type { Ids } from '../../base/ids.ts';
import { mailRoots } from '../../engine/root-mails.ts';
import type { PausedEndpointMail } from '../../model/message.ts';
import type { Receiver } from '../../model/webhook.ts';
import type { WebhookQueue } from '../../model/webhook-delivery.ts';
import type { Writer } from '../../store/types.ts';
import { KEPT_MS } from './attempts.ts';

type Pause = { queue: WebhookQueue; endpoint: Receiver; ids: Ids; now: number };

async function tellRoots(tx: Writer, { endpoint: { organizationId, id, name, url }, ids, now }: Pause): Promise<void> {
  const organization = await tx.organizations.get(organizationId);
  if (organization === undefined) return;
  const expiresAt = now + KEPT_MS;
  const mail = (to: string): PausedEndpointMail => ({
    template: 'paused-endpoint',
    to,
    expiresAt,
    endpointId: id,
    endpointName: name,
    url,
    organizationName: organization.name,
  });
  // No activity caused it. Messages of one endpoint are sent in order.
  await mailRoots(tx, organization, { ids, now }, { about: id, expiresAt, mail });
}

/** Pauses an endpoint that failed for too long, and tells root users once. The organization's and the queue's rows must be held. */
export async function pauseEndpoint(tx: Writer, pause: Pause): Promise<void> {
  const { queue, endpoint, now } = pause;
  const current = await tx.webhookEndpoints.get(endpoint.organizationId, endpoint.id);
  if (current === undefined || !current.isActive) return;
  await tx.webhookQueues.change(queue, { pausedAt: now, mailedAt: queue.mailedAt ?? now });
  await tx.webhookEndpoints.replace({ ...current, isActive: false, updatedAt: now });
  if (queue.mailedAt === null) await tellRoots(tx, pause);
}
