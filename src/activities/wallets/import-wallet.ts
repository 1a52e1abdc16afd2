import { readingBundle, targetOf, useTarget } from '../../domain/keys/imports.ts';
import { derivedAddresses, prepareImportedWallet, storeWallet } from '../../domain/keys/wallets.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ImportWalletParams } from '../../wire/exports.ts';
import { WalletResult } from '../../wire/wallets.ts';

export const importWallet = activity({
  kind: 'IMPORT_WALLET',
  resource: 'WALLET',
  action: 'IMPORT',
  summary: 'Import a wallet whose mnemonic was sealed to the key of INIT_IMPORT_WALLET',
  custody: 'import',
  params: v1(ImportWalletParams),
  submitters: { onlyUser: ({ userId }) => userId },
  result: { key: 'importWalletResult', shape: WalletResult },
  errors: [targetOf, readingBundle, prepareImportedWallet, useTarget, storeWallet],
  async prepare({ ctx, intent }) {
    const target = await targetOf(ctx.read, ctx.organization, intent.userId, 'wallet');
    return { target, made: await readingBundle(() => prepareImportedWallet(ctx, target, intent)) };
  },
  derived: ({ made }) => derivedAddresses(made.accounts),
  async execute({ ctx, prepared: { target, made } }) {
    await useTarget(ctx.store, target);
    return storeWallet(ctx, ctx.organization, made, 'parameters');
  },
});
