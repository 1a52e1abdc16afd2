import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';

export const updateWalletAccountName = activity({
  kind: 'UPDATE_WALLET_ACCOUNT_NAME',
  resource: 'WALLET',
  action: 'UPDATE',
  summary: 'Name a wallet account',
  params: v1(z.object({ walletAccountId: Id, name: Label })),
  result: { key: 'updateWalletAccountNameResult', shape: z.object({ walletAccountId: IdOut }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND'],
  async execute({ ctx: { organization, store, now }, intent: { walletAccountId, name } }) {
    if (!(await store.wallets.account(organization.id, walletAccountId)))
      throw new ApiError('NOT_FOUND', `wallet account not found: parameters.walletAccountId names ${walletAccountId}`);
    if (!(await store.wallets.renameAccount(organization.id, walletAccountId, name, now)))
      throw invalid('parameters.name', 'wallet account name must be unique in the organization');
    return { walletAccountId };
  },
});
