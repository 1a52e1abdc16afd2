import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const organizations: Samples = {
  get_organization_configs: () => ({}),
  whoami: () => ({}),
  list_suborgs: () => ({}),
};
