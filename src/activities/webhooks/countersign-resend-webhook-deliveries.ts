import { z } from 'zod';
import { resendDeliveries } from '../../domain/webhooks/resend.ts';
import { activity, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

/** The public interface cannot send again. */
export const countersignResendWebhookDeliveries = activity({
  kind: 'COUNTERSIGN_RESEND_WEBHOOK_DELIVERIES',
  resource: 'WEBHOOK_ENDPOINT',
  action: 'UPDATE',
  summary: 'Send ended webhook deliveries again, all or none: their events may arrive after later ones of the same subject',
  params: v1(z.object({ deliveryIds: z.array(Id).min(1, 'must name at least one delivery').max(100) })),
  policyParams: { delivery_ids: [listOf(STRING), ({ deliveryIds }) => deliveryIds] },
  result: { key: 'countersignResendWebhookDeliveriesResult', shape: z.object({ deliveryIds: z.array(IdOut) }) },
  errors: [resendDeliveries],
  async execute({ ctx: { organization, store, now }, intent: { deliveryIds } }) {
    await resendDeliveries(store, organization.id, deliveryIds, now);
    return { deliveryIds };
  },
});
