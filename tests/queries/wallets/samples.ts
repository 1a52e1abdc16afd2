import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const wallets: Samples = {
  list_wallets: () => ({}),
  get_wallet: () => ({ walletId: ID }),
  list_wallet_accounts: () => ({}),
  get_wallet_account: () => ({ walletId: ID, address: 'Sample' }),
};
