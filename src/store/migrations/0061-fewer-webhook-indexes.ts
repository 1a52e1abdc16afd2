import type { Migration } from './migration.ts';

/** Each delivery wrote them two or three times. Lists of an endpoint read the index with the status. */
export const fewerWebhookIndexes: Migration = {
  version: 61,
  name: 'fewer-webhook-indexes',
  up: (db) => [db.schema.dropIndex('webhook_deliveries_by_endpoint_id'), db.schema.dropIndex('webhook_queues_by_owner')],
};
