import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each query. */
export const freezes: Samples = {
  list_freezes: () => ({}),
};
