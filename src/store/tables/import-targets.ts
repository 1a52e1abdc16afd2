import type { ImportTarget } from '../../model/imports.ts';
import { hex, id, int, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

/** The public key for a user's next import. That import removes the row. */
export const importTargets = table('import_targets', {
  organizationId: id(),
  userId: id(),
  kind: text<ImportTarget['kind']>(),
  id: id(),
  publicKey: hex(),
  sealed: sealed(),
  createdAt: int(),
});
