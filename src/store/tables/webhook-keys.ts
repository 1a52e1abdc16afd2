import { bytes, int, nullable, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

/** Keys that sign deliveries, shared by all processes of the database. */
export const webhookKeys = table('webhook_keys', {
  kid: text(),
  publicKey: bytes(),
  sealed: sealed(),
  createdAt: int(),
  replacedAt: nullable(int()),
});
