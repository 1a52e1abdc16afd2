import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const ipAllowlists: Samples = {
  SET_IP_ALLOWLIST: () => ({ rules: [{ cidr: '192.0.2.0/24' }] }),
  REMOVE_IP_ALLOWLIST: () => ({}),
};
