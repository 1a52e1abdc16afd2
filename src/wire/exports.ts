import { z } from 'zod';
import { Id, IdOut, idOr, Label } from './common.ts';
import { AddressFormat, Curve, MnemonicLanguage } from './enums.ts';
import { WalletAccounts } from './wallets.ts';

/** Hex of 65 bytes; 33 are accepted too. */
const TARGET = 'must be a P-256 public key in hex, 65 or 33 bytes, without 0x';
export const TargetPublicKey = z.string().min(1, TARGET).max(130, TARGET);

export const ExportWalletParams = z.object({
  walletId: Id,
  targetPublicKey: TargetPublicKey,
  language: MnemonicLanguage.optional(),
});

export const ExportWalletAccountParams = z.object({ address: z.string().min(1).max(256), targetPublicKey: TargetPublicKey });

export const ExportPrivateKeyParams = z.object({ privateKeyId: Id, targetPublicKey: TargetPublicKey });

export const InitImportParams = z.object({ userId: Id });

export const InitImportResult = z.object({ importBundle: z.string() });

const EncryptedBundle = z.string().min(1, 'must be the JSON text that the client sealed').max(16_384);

export const ImportWalletParams = z.object({
  userId: Id,
  walletName: Label,
  encryptedBundle: EncryptedBundle,
  accounts: WalletAccounts,
});

export const ImportPrivateKeyParams = z.object({
  userId: Id,
  privateKeyName: Label,
  encryptedBundle: EncryptedBundle,
  curve: Curve,
  addressFormats: z.array(AddressFormat).max(38),
});

export const WithoutExport = z.boolean().optional();

const some = (id: typeof Id) => z.array(id).min(1, 'must name at least one').max(100);

export const Ids = some(Id);

export const WalletAccountIds = some(idOr('invalid wallet account UUID'));

export const IdsOut = z.array(IdOut);
