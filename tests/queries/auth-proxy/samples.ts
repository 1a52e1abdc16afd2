import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each query. */
export const authProxy: Samples = {
  get_auth_proxy_config: () => ({}),
};
