import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const sponsorship: Samples = {
  get_gas_usage: () => ({}),
};
