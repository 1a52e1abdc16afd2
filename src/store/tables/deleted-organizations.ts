import type { RootQuorum } from '../../model/organization.ts';
import { flag, id, int, json, nullable, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** Organizations that were deleted. Their rows leave `organizations`, so nothing is found in them any more; their record stays. */
export const deletedOrganizations = table('deleted_organizations', {
  organizationId: id(),
  parentId: nullable(id()),
  name: text(),
  /** The version that the deletion was decided at. */
  version: int(),
  rootQuorum: json<RootQuorum>(),
  createdAt: int(),
  deletedAt: int(),
  /** Rows are left in other tables: a worker removes them. */
  unswept: flag(),
});

export type DeletedOrganization = ModelOf<typeof deletedOrganizations>;
