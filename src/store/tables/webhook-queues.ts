import { id, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

/** One row for each endpoint that ever had a delivery. A process claims it with a lease, and then delivers to the endpoint alone. */
export const webhookQueues = table('webhook_queues', {
  organizationId: id(),
  endpointId: id(),
  pending: int(),
  nextAt: int(),
  failures: int(),
  failingSince: nullable(int()),
  noSuccessSince: nullable(int()),
  pausedAt: nullable(int()),
  mailedAt: nullable(int()),
  owner: text(),
  leaseUntil: int(),
});
