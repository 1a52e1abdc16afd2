import type { Organization } from '../../model/organization.ts';
import { id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const organizations = table('organizations', {
  id: id(),
  parentId: nullable(id()),
  name: text(),
  /** Raised with every change of the facts; an activity's transaction re-reads it. */
  version: int(),
  /** Raised with every change of the policies, in the same statement: what is compiled from them is kept at it. */
  policiesVersion: int(),
  rootQuorum: json<Organization['rootQuorum']>(),
  features: json<Organization['features']>(),
  createdAt: int(),
  updatedAt: int(),
});
