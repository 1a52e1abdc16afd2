import { newTarget } from '../../domain/keys/imports.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { InitImportParams, InitImportResult } from '../../wire/exports.ts';

export const initImportPrivateKey = activity({
  kind: 'INIT_IMPORT_PRIVATE_KEY',
  resource: 'PRIVATE_KEY',
  action: 'IMPORT',
  summary: 'Get the one-time key to which a private key is sealed for its import',
  custody: 'import',
  params: v1(InitImportParams),
  submitters: { onlyUser: ({ userId }) => userId },
  result: { key: 'initImportPrivateKeyResult', shape: InitImportResult },
  errors: ['REQUEST_INVALID'],
  async execute({ ctx, intent: { userId } }) {
    const { target, importBundle } = newTarget(ctx, userId, 'private_key');
    await ctx.store.importTargets.put(target);
    return { importBundle };
  },
});
