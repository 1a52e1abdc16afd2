import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { derivedAddresses, prepareAccounts, storeAccounts } from '../../domain/keys/wallets.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';
import { WalletAccounts } from '../../wire/wallets.ts';

export const createWalletAccounts = activity({
  kind: 'CREATE_WALLET_ACCOUNTS',
  resource: 'WALLET',
  action: 'CREATE',
  summary: 'Derive further accounts of a wallet; with persist: false, only return their addresses',
  custody: 'create',
  params: v1(
    z.object({
      walletId: Id,
      accounts: WalletAccounts.min(1, 'must name at least one account'),
      persist: z.boolean().optional(),
    }),
  ),
  result: { key: 'createWalletAccountsResult', shape: z.object({ addresses: z.array(z.string()) }) },
  errors: [prepareAccounts, 'NOT_FOUND', storeAccounts],
  async prepare({ ctx, intent: { walletId, accounts } }) {
    const sealed = await ctx.read.signers.sealedSecret(ctx.organization.id, walletId, 'mnemonic');
    if (sealed === undefined) throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    const mnemonic = { name: { organizationId: ctx.organization.id, id: walletId, purpose: 'mnemonic' }, sealed };
    return prepareAccounts(ctx, walletId, mnemonic, accounts, 'parameters.accounts');
  },
  derived: (ready) => derivedAddresses(ready),
  async execute({ ctx, intent: { walletId, persist = true }, prepared: ready }) {
    if (!persist) return { addresses: ready.map(({ account }) => account.address) };
    if (!(await ctx.store.wallets.get(ctx.organization.id, walletId)))
      throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    return { addresses: await storeAccounts(ctx, ctx.organization, ready, 'parameters.accounts') };
  },
});
