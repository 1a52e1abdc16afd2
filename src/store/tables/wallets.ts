import { flag, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const wallets = table('wallets', {
  organizationId: text(),
  id: text(),
  name: text(),
  exported: flag(),
  imported: flag(),
  createdAt: int(),
  updatedAt: int(),
});

export const walletAccounts = table('wallet_accounts', {
  organizationId: text(),
  id: text(),
  walletId: text(),
  curve: text(),
  path: text(),
  addressFormat: text(),
  address: text(),
  publicKey: text(),
  name: nullable(text()),
  exported: flag(),
  createdAt: int(),
  updatedAt: int(),
});
