import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const freezes: Samples = {
  COUNTERSIGN_FREEZE: () => ({ walletId: ID, reason: 'a laptop was stolen', keepSends: false }),
  COUNTERSIGN_UNFREEZE: () => ({ walletId: ID, reason: 'it was found' }),
};
