import type { QueryKind } from '../engine/query.ts';
import { getActivity } from './activities/get-activity.ts';
import { listActivities } from './activities/list-activities.ts';
import { getSmartContractInterface } from './contract-interfaces/get-smart-contract-interface.ts';
import { listSmartContractInterfaces } from './contract-interfaces/list-smart-contract-interfaces.ts';
import { getApiKeys } from './credentials/get-api-keys.ts';
import { getOrganizationConfigs } from './organizations/get-organization-configs.ts';
import { listSuborgs } from './organizations/list-suborgs.ts';
import { whoami } from './organizations/whoami.ts';
import { getPolicy } from './policies/get-policy.ts';
import { getPolicyEvaluations } from './policies/get-policy-evaluations.ts';
import { listPolicies } from './policies/list-policies.ts';
import { replayPolicy } from './policies/replay-policy.ts';
import { simulateActivity } from './policies/simulate-activity.ts';
import { getPrivateKey } from './private-keys/get-private-key.ts';
import { listPrivateKeys } from './private-keys/list-private-keys.ts';
import { listUserTags } from './tags/list-user-tags.ts';
import { getUser } from './users/get-user.ts';
import { listUsers } from './users/list-users.ts';
import { getWallet } from './wallets/get-wallet.ts';
import { getWalletAccount } from './wallets/get-wallet-account.ts';
import { listWalletAccounts } from './wallets/list-wallet-accounts.ts';
import { listWallets } from './wallets/list-wallets.ts';

/** Every query. Routes, the API document and the CLI come from this list. */
export const queries: readonly QueryKind[] = [
  simulateActivity,
  replayPolicy,
  whoami,
  getActivity,
  listActivities,
  listSuborgs,
  listUsers,
  getUser,
  getApiKeys,
  listWallets,
  getWallet,
  getWalletAccount,
  listWalletAccounts,
  listPrivateKeys,
  getPrivateKey,
  getPolicy,
  listPolicies,
  getPolicyEvaluations,
  listUserTags,
  getSmartContractInterface,
  listSmartContractInterfaces,
  getOrganizationConfigs,
];
