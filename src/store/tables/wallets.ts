import { flag, hex, id, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const wallets = table('wallets', {
  organizationId: id(),
  id: id(),
  name: text(),
  exported: flag(),
  imported: flag(),
  createdAt: int(),
  updatedAt: int(),
});

export const walletAccounts = table('wallet_accounts', {
  organizationId: id(),
  id: id(),
  walletId: id(),
  curve: text(),
  path: text(),
  addressFormat: text(),
  address: text(),
  publicKey: hex(),
  name: nullable(text()),
  exported: flag(),
  createdAt: int(),
  updatedAt: int(),
});
