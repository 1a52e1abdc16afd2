import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createWallet } from './create-wallet.ts';
import { createWalletAccounts } from './create-wallet-accounts.ts';
import { deleteWalletAccounts } from './delete-wallet-accounts.ts';
import { deleteWallets } from './delete-wallets.ts';
import { exportWallet } from './export-wallet.ts';
import { exportWalletAccount } from './export-wallet-account.ts';
import { importWallet } from './import-wallet.ts';
import { initImportWallet } from './init-import-wallet.ts';
import { updateWallet } from './update-wallet.ts';
import { updateWalletAccountName } from './update-wallet-account-name.ts';

export const wallets: readonly ActivityKind[] = [
  createWallet,
  createWalletAccounts,
  deleteWalletAccounts,
  deleteWallets,
  exportWallet,
  exportWalletAccount,
  importWallet,
  initImportWallet,
  updateWallet,
  updateWalletAccountName,
];
