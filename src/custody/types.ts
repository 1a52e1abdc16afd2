import type { Curve } from '../crypto/curves.ts';
import type { MnemonicLanguage } from '../crypto/mnemonic.ts';

/** How a signer's key signs: decided by its address format. */
export type SignatureScheme = 'ecdsa' | 'ed25519' | 'bip340' | 'bip341';

/** A 32-byte digest for the elliptic-curve schemes, or the message itself for Ed25519. */
export type ToSign = { digest: Uint8Array } | { message: Uint8Array };

export type RawSignature = { r: Buffer; s: Buffer; v: number };

/** Where a secret lives: part of its key derivation and its additional data, so a row that moves does not open. */
export type SecretName = { organizationId: string; id: string; purpose: string };

export type Sealed = { name: SecretName; sealed: Buffer };

export type SealedKey = Sealed & { curve: Curve };

export type NewAccount = { id: string; curve: Curve; path: string };

export type DerivedAccount = { id: string; publicKey: Buffer; sealed: Buffer };

/** What an activity that declares `custody: 'sign'` may do with keys. */
export type SigningVault = {
  /** Opens the key, signs each input in order, wipes the key. */
  sign(key: SealedKey, scheme: SignatureScheme, inputs: readonly ToSign[]): RawSignature[];
};

/** What an activity that declares `custody: 'create'` may do. Plaintext never leaves; the caller stores what is sealed. */
export type CreatingVault = {
  newWallet(
    organizationId: string,
    walletId: string,
    words: 12 | 15 | 18 | 21 | 24,
    accounts: readonly NewAccount[],
  ): Promise<{ sealedMnemonic: Buffer; accounts: DerivedAccount[] }>;
  deriveAccounts(mnemonic: Sealed, accounts: readonly NewAccount[]): Promise<DerivedAccount[]>;
  newPrivateKey(organizationId: string, id: string, curve: Curve): { publicKey: Buffer; sealed: Buffer };
};

/** What an activity that declares `custody: 'export'` may do, with secrets of its own organization alone. */
export type ExportingVault = {
  /** The mnemonic as it is stored or in another language's words, and its passphrase if it has one: an `exportBundle`. */
  exportMnemonic(mnemonic: Sealed, targetPublicKey: Uint8Array, language?: MnemonicLanguage): string;
  /** The raw private key: an `exportBundle`. */
  exportKey(key: Sealed, targetPublicKey: Uint8Array): string;
};

/** The key that an import is sealed to. `publicKey`: lower-case hex, 65 bytes. */
export type TargetKey = { organizationId: string; id: string; publicKey: string; sealed: Buffer };

/** What an activity that declares `custody: 'import'` may do. Throws BundleError for what the client sealed wrongly. */
export type ImportingVault = {
  newImportTarget(organizationId: string, id: string, userId: string): TargetKey & { importBundle: string };
  importWallet(
    target: TargetKey,
    encryptedBundle: string,
    walletId: string,
    accounts: readonly NewAccount[],
  ): Promise<{ sealedMnemonic: Buffer; accounts: DerivedAccount[] }>;
  importPrivateKey(target: TargetKey, encryptedBundle: string, id: string, curve: Curve): { publicKey: Buffer; sealed: Buffer };
};

/** What can be done with keys, one room for each kind of custody. */
export type Vault = {
  signing: SigningVault;
  creating: CreatingVault;
  importing: ImportingVault;
  /** The permit for one export that was decided: nothing else gives plaintext away. */
  permitExport(organizationId: string): ExportingVault;
};

/** A provider of the root key. It wraps the few master keys and sees nothing else. */
export type RootKey = {
  /** Names the provider and the key, without revealing it; stored beside what it wrapped. */
  readonly id: string;
  wrap(plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** Throws an error that says what to check, if this is not the key or the data was changed. */
  unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer>;
};
