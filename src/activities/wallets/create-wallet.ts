import { derivedAddresses, prepareWallet, storeWallet } from '../../domain/keys/wallets.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { WalletParams, WalletResult } from '../../wire/wallets.ts';

export const createWallet = activity({
  kind: 'CREATE_WALLET',
  resource: 'WALLET',
  action: 'CREATE',
  summary: 'Create a wallet with a fresh mnemonic, and its first accounts',
  custody: 'create',
  params: v1(WalletParams),
  result: { key: 'createWalletResult', shape: WalletResult },
  errors: [prepareWallet, storeWallet],
  prepare: ({ ctx, intent }) => prepareWallet(ctx, intent, 'parameters'),
  derived: ({ accounts }) => derivedAddresses(accounts),
  execute: ({ ctx, prepared: made }) => storeWallet(ctx, ctx.organization, made, 'parameters'),
});
