import type { ActivityKind } from '../engine/activity.ts';
import { approveActivity } from './consensus/approve-activity.ts';
import { rejectActivity } from './consensus/reject-activity.ts';
import { createApiKeys } from './credentials/create-api-keys.ts';
import { deleteApiKeys } from './credentials/delete-api-keys.ts';
import { createSubOrganization } from './organizations/create-sub-organization.ts';
import { createPrivateKeys } from './private-keys/create-private-keys.ts';
import { signRawPayload } from './signing/sign-raw-payload.ts';
import { signRawPayloads } from './signing/sign-raw-payloads.ts';
import { createUsers } from './users/create-users.ts';
import { createWallet } from './wallets/create-wallet.ts';
import { createWalletAccounts } from './wallets/create-wallet-accounts.ts';

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
  createPrivateKeys,
  signRawPayload,
  signRawPayloads,
];
