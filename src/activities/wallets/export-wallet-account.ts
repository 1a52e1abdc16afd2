import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { comparableTarget, sealTo } from '../../domain/credentials/target-keys.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { keyOf, lookUpSigner } from '../../domain/keys/signers.ts';
import { exportedView, SIGNER_ROOTS } from '../../domain/policies/policy-view.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ExportWalletAccountParams } from '../../wire/exports.ts';

export const exportWalletAccount = activity({
  kind: 'EXPORT_WALLET_ACCOUNT',
  resource: 'WALLET',
  action: 'EXPORT',
  summary: 'Export a wallet account’s private key, sealed to a public key',
  custody: 'export',
  params: v1(ExportWalletAccountParams),
  policyParams: { target_public_key: [STRING, comparableTarget] },
  policyRoots: SIGNER_ROOTS,
  policyView: async ({ ctx, intent: { address } }) => [await exportedView(ctx, address)],
  result: { key: 'exportWalletAccountResult', shape: z.object({ address: z.string(), exportBundle: z.string() }) },
  errors: [requireUnfrozen, sealTo, 'NOT_FOUND'],
  async execute({ ctx, intent: { address, targetPublicKey } }) {
    const found = await lookUpSigner(ctx.store, ctx.organization.id, address);
    if (found === undefined || found.signer.walletId === null)
      throw new ApiError('NOT_FOUND', `wallet account not found: parameters.address names ${address}`);
    await requireUnfrozen(ctx.store, ctx.organization.id, [found.signer.walletId]);
    await ctx.store.wallets.setAccountExported(ctx.organization.id, found.signer.keyId, ctx.now);
    const exportBundle = sealTo(targetPublicKey, (target) => ctx.vault.exportKey(keyOf(found), target));
    return { address, exportBundle };
  },
});
