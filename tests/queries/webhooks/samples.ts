import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const webhooks: Samples = {
  list_webhook_endpoints: () => ({}),
  list_webhook_deliveries: () => ({ endpointId: ID, status: 'DEAD', paginationOptions: { limit: '5' } }),
};
