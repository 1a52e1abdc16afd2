import { newTarget } from '../../domain/keys/imports.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { InitImportParams, InitImportResult } from '../../wire/exports.ts';

export const initImportWallet = activity({
  kind: 'INIT_IMPORT_WALLET',
  resource: 'WALLET',
  action: 'IMPORT',
  summary: 'Get the one-time key to which a mnemonic is sealed for its import',
  custody: 'import',
  params: v1(InitImportParams),
  submitters: { onlyUser: ({ userId }) => userId },
  result: { key: 'initImportWalletResult', shape: InitImportResult },
  errors: ['REQUEST_INVALID'],
  async execute({ ctx, intent: { userId } }) {
    const { target, importBundle } = newTarget(ctx, userId, 'wallet');
    await ctx.store.importTargets.put(target);
    return { importBundle };
  },
});
