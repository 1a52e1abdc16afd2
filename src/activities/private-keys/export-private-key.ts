import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { comparableTarget, sealTo } from '../../domain/credentials/target-keys.ts';
import { requireUnfrozen } from '../../domain/keys/frozen.ts';
import { privateKeyView } from '../../domain/policies/policy-view.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { ExportPrivateKeyParams } from '../../wire/exports.ts';

export const exportPrivateKey = activity({
  kind: 'EXPORT_PRIVATE_KEY',
  resource: 'PRIVATE_KEY',
  action: 'EXPORT',
  summary: 'Export a private key, sealed to a public key',
  custody: 'export',
  params: v1(ExportPrivateKeyParams),
  policyParams: { target_public_key: [STRING, comparableTarget] },
  policyRoots: ['private_key'],
  policyView: async ({ ctx, intent: { privateKeyId } }) => [await privateKeyView(ctx, privateKeyId)],
  result: { key: 'exportPrivateKeyResult', shape: z.object({ privateKeyId: IdOut, exportBundle: z.string() }) },
  errors: [requireUnfrozen, sealTo, 'NOT_FOUND'],
  async execute({ ctx, intent: { privateKeyId, targetPublicKey } }) {
    const { organization, store } = ctx;
    await requireUnfrozen(store, organization.id, [privateKeyId]);
    const sealed = await store.signers.sealedSecret(organization.id, privateKeyId, 'private-key');
    if (sealed === undefined || !(await store.privateKeys.setExported(organization.id, privateKeyId, ctx.now)))
      throw new ApiError('NOT_FOUND', `private key not found: parameters.privateKeyId names ${privateKeyId}`);
    const secret = { name: { organizationId: organization.id, id: privateKeyId, purpose: 'private-key' }, sealed };
    const exportBundle = sealTo(targetPublicKey, (target) => ctx.vault.exportKey(secret, target));
    return { privateKeyId, exportBundle };
  },
});
