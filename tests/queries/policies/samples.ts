import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const policies: Samples = {
  get_active_policies: () => ({}),
  get_policy: () => ({ policyId: ID }),
  list_policies: () => ({}),
  get_policy_evaluations: () => ({ activityId: ID }),
  simulate_activity: () => ({ type: 'ACTIVITY_TYPE_CREATE_WALLET', parameters: { walletName: 'Sample', accounts: [] } }),
  replay_policy: () => ({ effect: 'EFFECT_DENY', condition: 'true' }),
};
