import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const secrets: Samples = {
  list_secrets: () => ({}),
};
