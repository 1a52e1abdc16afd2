import type { RootQuorum } from '../../model/organization.ts';
import { flag, id, int, json, nullable, text } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** Deleted organizations. Their rows leave `organizations`, so look-ups find nothing in them any more. Their record stays. */
export const deletedOrganizations = table('deleted_organizations', {
  organizationId: id(),
  parentId: nullable(id()),
  name: text(),
  /** The version on which the deletion was decided. */
  version: int(),
  rootQuorum: json<RootQuorum>(),
  createdAt: int(),
  deletedAt: int(),
  /** True while other tables have rows left, which a worker removes. */
  unswept: flag(),
});

export type DeletedOrganization = ModelOf<typeof deletedOrganizations>;
