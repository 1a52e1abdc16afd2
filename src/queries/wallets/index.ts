import type { QueryKind } from '../../engine/query/declare.ts';
import { getWallet } from './get-wallet.ts';
import { getWalletAccount } from './get-wallet-account.ts';
import { listWalletAccounts } from './list-wallet-accounts.ts';
import { listWallets } from './list-wallets.ts';

export const wallets: readonly QueryKind[] = [getWallet, getWalletAccount, listWalletAccounts, listWallets];
