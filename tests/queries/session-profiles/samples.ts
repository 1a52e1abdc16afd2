import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const sessionProfiles: Samples = {
  get_session_profile: () => ({ sessionProfileId: ID }),
  get_session_profiles: () => ({}),
};
