import { flag, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const privateKeys = table('private_keys', {
  organizationId: text(),
  id: text(),
  name: text(),
  curve: text(),
  publicKey: text(),
  exported: flag(),
  imported: flag(),
  createdAt: int(),
  updatedAt: int(),
});
