import { ethereumAccount } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** The generator of P-256. */
const TARGET = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';

/** Well-formed parameters of each operation's newest version. */
export const wallets: Samples = {
  CREATE_WALLET: () => ({ walletName: 'Sample', accounts: [ethereumAccount()] }),
  CREATE_WALLET_ACCOUNTS: () => ({ walletId: ID, accounts: [ethereumAccount(1)] }),
  UPDATE_WALLET: () => ({ walletId: ID, walletName: 'Sample' }),
  UPDATE_WALLET_ACCOUNT_NAME: () => ({ walletAccountId: ID, name: 'Sample' }),
  DELETE_WALLETS: () => ({ walletIds: [ID] }),
  DELETE_WALLET_ACCOUNTS: () => ({ walletAccountIds: [ID] }),
  EXPORT_WALLET: () => ({ walletId: ID, targetPublicKey: TARGET }),
  EXPORT_WALLET_ACCOUNT: () => ({ address: 'Sample', targetPublicKey: TARGET }),
  INIT_IMPORT_WALLET: () => ({ userId: ID }),
  IMPORT_WALLET: () => ({ userId: ID, walletName: 'Sample', encryptedBundle: '{}', accounts: [ethereumAccount()] }),
};
