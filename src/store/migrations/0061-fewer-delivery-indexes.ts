import type { Migration } from './migration.ts';

/** Each delivery wrote it. Lists of an endpoint read the index with the status. */
export const fewerDeliveryIndexes: Migration = {
  version: 61,
  name: 'fewer-delivery-indexes',
  up: (db) => [db.schema.dropIndex('webhook_deliveries_by_endpoint_id')],
};
