import type { ActivityKind } from '../engine/activity.ts';
import { approveActivity } from './consensus/approve-activity.ts';
import { rejectActivity } from './consensus/reject-activity.ts';
import { createSmartContractInterface } from './contract-interfaces/create-smart-contract-interface.ts';
import { deleteSmartContractInterface } from './contract-interfaces/delete-smart-contract-interface.ts';
import { createApiKeys } from './credentials/create-api-keys.ts';
import { deleteApiKeys } from './credentials/delete-api-keys.ts';
import { createSubOrganization } from './organizations/create-sub-organization.ts';
import { removeOrganizationFeature } from './organizations/remove-organization-feature.ts';
import { setOrganizationFeature } from './organizations/set-organization-feature.ts';
import { updateOrganizationName } from './organizations/update-organization-name.ts';
import { updateRootQuorum } from './organizations/update-root-quorum.ts';
import { createPolicies } from './policies/create-policies.ts';
import { createPolicy } from './policies/create-policy.ts';
import { deletePolicies } from './policies/delete-policies.ts';
import { deletePolicy } from './policies/delete-policy.ts';
import { updatePolicy } from './policies/update-policy.ts';
import { createPrivateKeys } from './private-keys/create-private-keys.ts';
import { deletePrivateKeys } from './private-keys/delete-private-keys.ts';
import { disablePrivateKey } from './private-keys/disable-private-key.ts';
import { exportPrivateKey } from './private-keys/export-private-key.ts';
import { importPrivateKey } from './private-keys/import-private-key.ts';
import { initImportPrivateKey } from './private-keys/init-import-private-key.ts';
import { signRawPayload } from './signing/sign-raw-payload.ts';
import { signRawPayloads } from './signing/sign-raw-payloads.ts';
import { signTransaction } from './signing/sign-transaction.ts';
import { createUserTag } from './tags/create-user-tag.ts';
import { deleteUserTags } from './tags/delete-user-tags.ts';
import { updateUserTag } from './tags/update-user-tag.ts';
import { createUsers } from './users/create-users.ts';
import { deleteUsers } from './users/delete-users.ts';
import { createWallet } from './wallets/create-wallet.ts';
import { createWalletAccounts } from './wallets/create-wallet-accounts.ts';
import { deleteWalletAccounts } from './wallets/delete-wallet-accounts.ts';
import { deleteWallets } from './wallets/delete-wallets.ts';
import { exportWallet } from './wallets/export-wallet.ts';
import { exportWalletAccount } from './wallets/export-wallet-account.ts';
import { importWallet } from './wallets/import-wallet.ts';
import { initImportWallet } from './wallets/init-import-wallet.ts';
import { updateWallet } from './wallets/update-wallet.ts';
import { updateWalletAccountName } from './wallets/update-wallet-account-name.ts';

/** Every kind of activity. Routes, validation, the API document and the CLI come from this list. */
export const activities: readonly ActivityKind[] = [
  approveActivity,
  rejectActivity,
  createSubOrganization,
  createUsers,
  createApiKeys,
  deleteApiKeys,
  createWallet,
  createWalletAccounts,
  updateWallet,
  updateWalletAccountName,
  deleteWallets,
  deleteWalletAccounts,
  createPrivateKeys,
  disablePrivateKey,
  deletePrivateKeys,
  exportWallet,
  exportWalletAccount,
  exportPrivateKey,
  initImportWallet,
  importWallet,
  initImportPrivateKey,
  importPrivateKey,
  signRawPayload,
  signRawPayloads,
  signTransaction,
  createPolicy,
  createPolicies,
  updatePolicy,
  deletePolicy,
  deletePolicies,
  createUserTag,
  updateUserTag,
  deleteUserTags,
  deleteUsers,
  updateRootQuorum,
  updateOrganizationName,
  setOrganizationFeature,
  removeOrganizationFeature,
  createSmartContractInterface,
  deleteSmartContractInterface,
];
