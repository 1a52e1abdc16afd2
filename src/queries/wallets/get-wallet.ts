import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { viewWallet, Wallet } from '../../wire/wallets.ts';

export const getWallet = query({
  name: 'get_wallet',
  summary: 'One wallet',
  params: z.object({ organizationId: Id, walletId: Id }),
  result: z.object({ wallet: Wallet }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { walletId }) {
    const wallet = await read.wallets.get(organization.id, walletId);
    if (wallet === undefined) throw new ApiError('NOT_FOUND', `wallet not found: walletId names ${walletId}`);
    return { wallet: viewWallet(wallet) };
  },
});
