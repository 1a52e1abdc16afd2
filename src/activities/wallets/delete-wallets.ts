import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { walletsView } from '../../domain/policies/policy-view.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Ids, IdsOut, WithoutExport } from '../../wire/exports.ts';

export const deleteWallets = activity({
  kind: 'DELETE_WALLETS',
  resource: 'WALLET',
  action: 'DELETE',
  summary: 'Destroy wallets with their mnemonics, accounts and keys: all or none',
  params: v1(z.object({ walletIds: Ids, deleteWithoutExport: WithoutExport })),
  policyRoots: ['wallets'],
  policyView: async ({ ctx, intent: { walletIds } }) => [await walletsView(ctx, walletIds)],
  result: { key: 'deleteWalletsResult', shape: z.object({ walletIds: IdsOut }) },
  errors: [requireUnfrozen, 'REQUEST_INVALID', 'NOT_FOUND'],
  async execute({ ctx, intent: { walletIds, deleteWithoutExport = false } }) {
    const { organization, store } = ctx;
    await requireUnfrozen(store, organization.id, walletIds);
    for (const id of new Set(walletIds)) {
      const wallet = await store.wallets.get(organization.id, id);
      if (wallet === undefined) throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletIds names ${id}`);
      if (!wallet.exported && !deleteWithoutExport)
        throw invalid(
          'parameters.walletIds',
          `wallet has not been exported: ${id}. Export it, or send deleteWithoutExport: true`,
        );
      await store.wallets.removeAccountsOf(organization.id, id);
      await store.signers.destroy(organization.id, id);
      await store.wallets.remove(organization.id, id);
    }
    return { walletIds };
  },
});
