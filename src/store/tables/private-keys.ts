import { flag, hex, id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const privateKeys = table('private_keys', {
  organizationId: id(),
  id: id(),
  name: text(),
  curve: text(),
  publicKey: hex(),
  exported: flag(),
  imported: flag(),
  createdAt: int(),
  updatedAt: int(),
});
