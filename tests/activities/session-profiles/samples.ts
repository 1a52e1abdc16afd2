import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const sessionProfiles: Samples = {
  CREATE_SESSION_PROFILE: () => ({
    sessionProfileName: 'Sample',
    scope: "activity.resource == 'WALLET'",
    expirationSeconds: '600',
    notes: 'notes',
  }),
};
