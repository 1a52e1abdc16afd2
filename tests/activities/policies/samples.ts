import { ID, type Samples } from '../../support/samples.ts';

const older = (names: object) => ({
  policyName: 'Sample',
  effect: 'EFFECT_ALLOW',
  selectors: [{ subject: 'user.id', operator: 'OPERATOR_EQUAL', ...names }],
  notes: '',
});

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const policies: Samples = {
  ACTIVITY_TYPE_CREATE_POLICY: () => older({ target: ID }),
  ACTIVITY_TYPE_CREATE_POLICY_V2: () => older({ targets: [ID] }),
  CREATE_POLICY: () => ({ policyName: 'Sample', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'POLICY'", notes: '' }),
  CREATE_POLICIES: () => ({
    policies: [{ policyName: 'Sample', effect: 'EFFECT_DENY', condition: "activity.action == 'NONE'", notes: '' }],
  }),
  UPDATE_POLICY: () => ({ policyId: ID, policyName: 'Sample' }),
  DELETE_POLICY: () => ({ policyId: ID }),
  DELETE_POLICIES: () => ({ policyIds: [ID] }),
};
