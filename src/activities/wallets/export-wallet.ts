import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { comparableTarget, sealTo } from '../../domain/credentials/target-keys.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { walletView } from '../../domain/policies/policy-view.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { ExportWalletParams } from '../../wire/exports.ts';

export const exportWallet = activity({
  kind: 'EXPORT_WALLET',
  resource: 'WALLET',
  action: 'EXPORT',
  summary: 'Export a wallet’s mnemonic, sealed to a public key',
  custody: 'export',
  params: v1(ExportWalletParams),
  policyParams: { target_public_key: [STRING, comparableTarget] },
  policyRoots: ['wallet'],
  policyView: async ({ ctx, intent: { walletId } }) => [await walletView(ctx, walletId)],
  result: { key: 'exportWalletResult', shape: z.object({ walletId: IdOut, exportBundle: z.string() }) },
  errors: [requireUnfrozen, sealTo, 'NOT_FOUND'],
  async execute({ ctx, intent: { walletId, targetPublicKey, language } }) {
    const { organization, store } = ctx;
    await requireUnfrozen(store, organization.id, [walletId]);
    const sealed = await store.signers.sealedSecret(organization.id, walletId, 'mnemonic');
    if (sealed === undefined || !(await store.wallets.setExported(organization.id, walletId, ctx.now)))
      throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    const secret = { name: { organizationId: organization.id, id: walletId, purpose: 'mnemonic' }, sealed };
    const exportBundle = sealTo(targetPublicKey, (target) => ctx.vault.exportMnemonic(secret, target, language));
    return { walletId, exportBundle };
  },
});
