import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const authProxy: Samples = {
  DISABLE_AUTH_PROXY: () => ({}),
  ENABLE_AUTH_PROXY: () => ({}),
  UPDATE_AUTH_PROXY_CONFIG: () => ({}),
};
