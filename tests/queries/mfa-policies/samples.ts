import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const mfaPolicies: Samples = {
  get_mfa_policies: () => ({ userId: ID }),
  get_mfa_policy: () => ({ userId: ID, mfaPolicyId: ID }),
  get_mfa_status: () => ({ activityId: ID, userId: ID }),
};
