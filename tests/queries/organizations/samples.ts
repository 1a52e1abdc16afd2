import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const organizations: Samples = {
  find_suborgs: () => ({ search: 'Sample' }),
  get_organization: () => ({}),
  get_organization_configs: () => ({}),
  list_verified_suborgs: () => ({ filterType: 'EMAIL', filterValue: 'sample@example.com' }),
  whoami: () => ({}),
  list_suborgs: () => ({}),
};
