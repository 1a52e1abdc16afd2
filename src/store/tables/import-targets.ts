import type { ImportTarget } from '../../model/imports.ts';
import { bytes, int, text } from '../columns.ts';
import { table } from '../table.ts';

/** The public key for a user's next import; removed by that import. */
export const importTargets = table('import_targets', {
  organizationId: text(),
  userId: text(),
  kind: text<ImportTarget['kind']>(),
  id: text(),
  publicKey: text(),
  sealed: bytes(),
  createdAt: int(),
});
