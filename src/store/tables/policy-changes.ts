import { id, int } from '../columns.ts';
import { table } from '../table.ts';

/** The policies that each of an organization's last policy versions changed, including removed policies. */
export const policyChanges = table('policy_changes', {
  organizationId: id(),
  /** The organization's `policies_version` after the change. */
  version: int(),
  policyId: id(),
});
