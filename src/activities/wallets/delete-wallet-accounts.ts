import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdsOut, WalletAccountIds, WithoutExport } from '../../wire/exports.ts';

export const deleteWalletAccounts = activity({
  kind: 'DELETE_WALLET_ACCOUNTS',
  resource: 'WALLET',
  action: 'DELETE',
  summary: 'Destroy wallet accounts with their keys: all or none. Their wallets stay',
  params: v1(z.object({ walletAccountIds: WalletAccountIds, deleteWithoutExport: WithoutExport })),
  result: { key: 'deleteWalletAccountsResult', shape: z.object({ walletAccountIds: IdsOut }) },
  errors: [requireUnfrozen, 'REQUEST_INVALID', 'WALLET_ACCOUNT_NOT_EXPORTED'],
  async execute({ ctx, intent: { walletAccountIds, deleteWithoutExport = false } }) {
    const { organization, store } = ctx;
    for (const id of new Set(walletAccountIds)) {
      const account = await store.wallets.account(organization.id, id);
      if (account === undefined)
        throw invalid('parameters.walletAccountIds', `wallet account not part of your organization: ${id}`);
      await requireUnfrozen(store, organization.id, [account.walletId]);
      const exported = account.exported || (await store.wallets.get(organization.id, account.walletId))?.exported === true;
      if (!exported && !deleteWithoutExport)
        throw new ApiError(
          'WALLET_ACCOUNT_NOT_EXPORTED',
          `wallet account has not been exported: ${id}. Export it or its wallet, or send deleteWithoutExport: true`,
        );
      await store.signers.destroy(organization.id, id);
      await store.wallets.removeAccount(organization.id, account.walletId, id);
    }
    return { walletAccountIds };
  },
});
