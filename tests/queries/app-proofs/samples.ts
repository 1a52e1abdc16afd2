import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const appProofs: Samples = {
  get_boot_proof: () => ({ ephemeralKey: '04'.repeat(130) }),
  get_latest_boot_proof: () => ({ appName: 'countersign' }),
  list_app_proofs: () => ({ activityId: ID }),
};
