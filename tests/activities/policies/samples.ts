import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const policies: Samples = {
  CREATE_POLICY: () => ({ policyName: 'Sample', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'WALLET'", notes: '' }),
  CREATE_POLICIES: () => ({ policies: [{ policyName: 'Sample', effect: 'EFFECT_DENY', notes: '' }] }),
  UPDATE_POLICY: () => ({ policyId: ID, policyName: 'Sample' }),
  DELETE_POLICY: () => ({ policyId: ID }),
  DELETE_POLICIES: () => ({ policyIds: [ID] }),
};
