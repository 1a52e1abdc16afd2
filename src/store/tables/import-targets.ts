import type { ImportTarget } from '../../model/imports.ts';
import { bytes, int, text } from '../columns.ts';
import { table } from '../table.ts';

/** The key that a user seals to what they bring in next; removed by the import that uses it. */
export const importTargets = table('import_targets', {
  organizationId: text(),
  userId: text(),
  kind: text<ImportTarget['kind']>(),
  id: text(),
  publicKey: text(),
  sealed: bytes(),
  createdAt: int(),
});
