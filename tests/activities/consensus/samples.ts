import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const consensus: Samples = {
  APPROVE_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
  REJECT_ACTIVITY: () => ({ fingerprint: `sha256:${'0'.repeat(64)}` }),
};
