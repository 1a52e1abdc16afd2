import { id, int } from '../columns.ts';
import { table } from '../table.ts';

/** Which policies each of an organization's last versions of its policies changed, removed ones included. */
export const policyChanges = table('policy_changes', {
  organizationId: id(),
  /** The organization's `policies_version` that the change raised it to. */
  version: int(),
  policyId: id(),
});
