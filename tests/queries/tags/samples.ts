import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const tags: Samples = {
  list_private_key_tags: () => ({}),
  list_user_tags: () => ({}),
};
