import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const privateKeys: Samples = {
  list_private_keys: () => ({}),
  get_private_key: () => ({ privateKeyId: ID }),
};
