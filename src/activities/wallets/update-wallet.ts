import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, Label } from '../../wire/common.ts';

export const updateWallet = activity({
  kind: 'UPDATE_WALLET',
  resource: 'WALLET',
  action: 'UPDATE',
  summary: 'Rename a wallet',
  params: v1(z.object({ walletId: Id, walletName: Label.optional() })),
  policyParams: { wallet_id: [STRING, ({ walletId }) => walletId] },
  result: { key: 'updateWalletResult', shape: z.object({ walletId: IdOut }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND'],
  async execute({ ctx, intent: { walletId, walletName } }) {
    const { organization, store } = ctx;
    if (!(await store.wallets.get(organization.id, walletId)))
      throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    if (walletName === undefined) return { walletId };
    if (!(await store.wallets.rename(organization.id, walletId, walletName, ctx.now)))
      throw invalid('parameters.walletName', 'wallet label must be unique: the organization has a wallet of this name');
    return { walletId };
  },
});
