import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { WalletAccount as AccountModel, PrivateKey, Signer, Wallet as WalletModel } from '../model/keys.ts';
import { Id, IdOut, Label, labelOr, Timestamp } from './common.ts';
import { AddressFormat, Curve, PathFormat } from './enums.ts';

const WalletAccountParams = z.object({
  curve: Curve,
  pathFormat: PathFormat,
  path: z.string().max(256, 'invalid path'),
  addressFormat: AddressFormat,
  name: Label.optional(),
});

export type NewWalletAccount = z.output<typeof WalletAccountParams>;

const MISSING = 'missing wallet params';

export const WalletAccounts = z
  .array(WalletAccountParams, { error: (issue) => (issue.code === 'invalid_type' ? MISSING : undefined) })
  .max(1000);

export const MnemonicLength = z.union([z.literal(12), z.literal(15), z.literal(18), z.literal(21), z.literal(24)], {
  error: 'must be 12, 15, 18, 21 or 24',
});

export const WalletParams = z.object({
  walletName: labelOr(MISSING),
  accounts: WalletAccounts,
  mnemonicLength: MnemonicLength.optional(),
});

export type NewWallet = z.output<typeof WalletParams>;

export const WalletResult = z.object({ walletId: IdOut, addresses: z.array(z.string()) });

export const PrivateKeyParams = z.object({
  privateKeyName: Label,
  curve: Curve,
  privateKeyTags: z.array(Id).max(100),
  addressFormats: z.array(AddressFormat).max(38),
});

export type NewPrivateKey = z.output<typeof PrivateKeyParams>;

export const Address = z.object({ format: z.string(), address: z.string() });

export const PrivateKeyResult = z.object({ privateKeyId: IdOut, addresses: z.array(Address) });

export const Wallet = z.object({
  walletId: IdOut,
  walletName: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  exported: z.boolean(),
  imported: z.boolean(),
});

export const WalletAccount = z.object({
  walletAccountId: IdOut,
  organizationId: IdOut,
  walletId: IdOut,
  curve: z.string(),
  pathFormat: z.string(),
  path: z.string(),
  addressFormat: z.string(),
  address: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  publicKey: z.string().optional(),
  walletDetails: Wallet.optional(),
  name: z.string().optional(),
  caip2Prefix: z.string().optional(),
});

export const PrivateKeyOut = z.object({
  privateKeyId: IdOut,
  publicKey: z.string(),
  privateKeyName: z.string(),
  curve: z.string(),
  addresses: z.array(Address),
  privateKeyTags: z.array(z.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  exported: z.boolean(),
  imported: z.boolean(),
});

export function viewWallet(w: WalletModel): z.output<typeof Wallet> {
  return {
    walletId: w.id,
    walletName: w.name,
    createdAt: wireTimestamp(w.createdAt),
    updatedAt: wireTimestamp(w.updatedAt),
    exported: w.exported,
    imported: w.imported,
  };
}

/** `caip2Prefix`: of the account's address format. */
export function viewAccount(
  a: AccountModel,
  caip2Prefix: string | undefined,
  wallet?: WalletModel,
): z.output<typeof WalletAccount> {
  return {
    walletAccountId: a.id,
    organizationId: a.organizationId,
    walletId: a.walletId,
    curve: a.curve,
    pathFormat: 'PATH_FORMAT_BIP32',
    path: a.path,
    addressFormat: a.addressFormat,
    address: a.address,
    createdAt: wireTimestamp(a.createdAt),
    updatedAt: wireTimestamp(a.updatedAt),
    publicKey: a.publicKey,
    ...(wallet ? { walletDetails: viewWallet(wallet) } : {}),
    ...(a.name === null ? {} : { name: a.name }),
    ...(caip2Prefix === undefined ? {} : { caip2Prefix }),
  };
}

export function viewPrivateKey(
  k: PrivateKey,
  signers: readonly Signer[],
  tags: readonly string[],
): z.output<typeof PrivateKeyOut> {
  return {
    privateKeyId: k.id,
    publicKey: k.publicKey,
    privateKeyName: k.name,
    curve: k.curve,
    addresses: signers.map(({ format, address }) => ({ format, address })),
    privateKeyTags: [...tags],
    createdAt: wireTimestamp(k.createdAt),
    updatedAt: wireTimestamp(k.updatedAt),
    exported: k.exported,
    imported: k.imported,
  };
}
