import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { DeliveryStatusName, viewDelivery, WebhookDeliveryRow } from '../../wire/webhook-deliveries.ts';

/** The public interface has no list of deliveries. */
export const listWebhookDeliveries = query({
  name: 'list_webhook_deliveries',
  summary: 'Deliveries to webhook endpoints, newest first, with their last attempt. They are kept for 30 days after they ended',
  params: z.strictObject({
    organizationId: Id,
    endpointId: Id.optional(),
    status: DeliveryStatusName.optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ webhookDeliveries: z.array(WebhookDeliveryRow) }),
  errors: [],
  async run({ organization, read }, { endpointId, status, paginationOptions }) {
    const found = await read.webhookDeliveries.page(organization.id, { endpointId, status }, pageOf(paginationOptions));
    return { webhookDeliveries: found.map(viewDelivery) };
  },
});
