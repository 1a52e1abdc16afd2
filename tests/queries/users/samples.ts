import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const users: Samples = {
  list_users: () => ({}),
  get_user: () => ({ userId: ID }),
};
