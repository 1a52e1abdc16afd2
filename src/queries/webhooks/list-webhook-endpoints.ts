import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { viewWebhookEndpoint, WebhookEndpoint } from '../../wire/webhooks.ts';

export const listWebhookEndpoints = query({
  name: 'list_webhook_endpoints',
  summary: 'Webhook endpoints of the organization with their subscriptions, in the order of their creation',
  params: z.object({ organizationId: Id }),
  result: z.object({ webhookEndpoints: z.array(WebhookEndpoint) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'webhookEndpoints',
        // The endpoint of a feature has the organization's id, which is older than all others. It is left out.
        page: (page) =>
          read.webhookEndpoints.page(
            organization.id,
            page.before === undefined ? { ...page, after: page.after ?? organization.id } : page,
          ),
        show: (some) => some.map(viewWebhookEndpoint),
      },
      undefined,
    ),
});
