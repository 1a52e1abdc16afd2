import type { Curve } from '../crypto/curves.ts';
import type { MnemonicLanguage } from '../crypto/mnemonic.ts';
import type { RawSignature, SignatureScheme, ToSign } from '../crypto/signing-types.ts';

/** The place of a secret. Part of its key derivation and additional data, so a moved row does not open. */
export type SecretName = { organizationId: string; id: string; purpose: string };

/** A sealed secret does not open. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

export type Sealed = { name: SecretName; sealed: Buffer };

export type SealedKey = Sealed & { curve: Curve };

export type NewAccount = { id: string; curve: Curve; path: string };

export type DerivedAccount = { id: string; publicKey: Buffer; sealed: Buffer };

/** Operations for activities that declare `custody: 'sign'`. */
export type SigningVault = {
  /** Opens the key, signs each input in order, wipes the key. */
  sign(key: SealedKey, scheme: SignatureScheme, inputs: readonly ToSign[]): RawSignature[];
};

/** Operations for activities that declare `custody: 'create'`. Plaintext never leaves; the caller stores the sealed secrets. */
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

/** Operations for activities that declare `custody: 'export'`, on secrets of their own organization only. */
export type ExportingVault = {
  /** Returns an `exportBundle`: the mnemonic as stored or in another language, and its passphrase if it has one. */
  exportMnemonic(mnemonic: Sealed, targetPublicKey: Uint8Array, language?: MnemonicLanguage): string;
  /** Returns an `exportBundle` with the raw private key. */
  exportKey(key: Sealed, targetPublicKey: Uint8Array): string;
};

/** The key that an import is sealed to. `publicKey`: lower-case hex, 65 bytes. */
export type TargetKey = { organizationId: string; id: string; publicKey: string; sealed: Buffer };

/** Operations for activities that declare `custody: 'import'`. They throw BundleError if the client's bundle is invalid. */
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

/** Operations for activities that declare `custody: 'tokens'`: those that issue tokens. */
export type TokenVault = {
  /** ECDSA on P-256 over SHA-256 by a key of the service itself: r ‖ s. */
  signToken(key: 'otp-signer' | 'legacy-token-signer', data: Uint8Array): Uint8Array;
};

/** Operations for activities that declare `custody: 'one-time'`: secrets that a person is sent, of which a keyed hash is kept. */
export type OneTimeVault = {
  /** `secret`: 32 random bytes in base64url. */
  newSecret(name: SecretName): { secret: string; hash: Buffer };
  /** In constant time, also without a hash. */
  matches(name: SecretName, hash: Buffer | undefined, secret: string): boolean;
};

/** The form of a one-time code: so many characters, digits alone or letters too. */
export type CodeForm = { length: number; alphanumeric: boolean };

/** The key that a code is sealed to. `publicKey`: lower-case hex, 65 bytes. */
export type CodeTarget = { organizationId: string; id: string; publicKey: string; sealed: Buffer };

/** Operations for activities that declare `custody: 'codes'`: one-time codes that a person types, of which a keyed hash is kept. */
export type CodeVault = {
  newCode(organizationId: string, id: string, form: CodeForm): { code: string; hash: Buffer };
  /** Of a code that is not random. */
  hashCode(organizationId: string, id: string, code: string): Buffer;
  /** In constant time, also without a hash. Letters count without case, and those that are mistaken for a digit as that digit. */
  matchesCode(organizationId: string, id: string, hash: Buffer | undefined, code: string): boolean;
  newCodeTarget(organizationId: string, id: string): CodeTarget & { bundle: string };
  /** The text that was sealed to the target. Throws BundleError. */
  openCode(target: CodeTarget, encryptedBundle: string): string;
};

/** Operations for activities that declare `custody: 'sessions'`: those that log users in. */
export type SessionVault = {
  /** ECDSA on P-256 over SHA-256 of SHA-256: r ‖ s. Clients verify the tokens of sessions so, although those say ES256. */
  signSession(data: Uint8Array): Uint8Array;
};

/** Operations for activities that declare `custody: 'issue'`: those that make a user's key, and give it to the client. */
export type IssuingVault = {
  /**
   * A fresh key pair on P-256. `publicKey`: lower-case hex, 33 bytes. The private key is in the bundle alone, sealed to the target
   * (33 or 65 bytes). Throws BundleError if that is no public key of P-256.
   */
  newCredential(targetPublicKey: Uint8Array): { publicKey: string; credentialBundle: string };
};

type Place = { organizationId: string; id: string };

/** Operations for activities that declare `custody: 'oauth2'`. */
export type Oauth2Vault = {
  /** Opens the client secret that a client sealed to the service, as hex of an envelope, and seals it anew. Throws BundleError. */
  sealClientSecret(credential: Place, encryptedClientSecret: string): Buffer;
  openClientSecret(credential: Place, sealed: Buffer): string;
  /** Seals a token of the provider to a key of the client (33 or 65 bytes), as a credential bundle is. Throws BundleError. */
  sealBearerToken(targetPublicKey: Uint8Array, token: string): string;
  /** The key in the JWKS of this service: lower-case hex, 65 bytes. */
  identityPublicKey: string;
  /** ECDSA on P-256 over SHA-256 by this key: r ‖ s. */
  signIdentityToken(data: Uint8Array): Uint8Array;
};

export type ProxyKey = Place & { publicKey: string; sealed: Buffer };

/** The keys of auth proxies: nobody has them but the service. */
export type ProxyVault = {
  /** A fresh key pair on P-256. `publicKey`: lower-case hex, 33 bytes. */
  newProxyKey(place: Place): ProxyKey;
  /** ECDSA on P-256 over SHA-256 of the body, in hex of DER, as the stamps of API keys have it. */
  stampAsProxy(key: Place & { sealed: Buffer }, body: Uint8Array): string;
};

/** Texts that hold a secret for somebody outside: messages that wait to be sent, and bodies and results of activities. */
export type SealedText = 'message' | 'activity-body' | 'activity-result';

export type TextVault = {
  seal(what: SealedText, organizationId: string, id: string, text: Uint8Array): Buffer;
  /** Throws EnvelopeError. */
  open(what: SealedText, organizationId: string, id: string, sealed: Uint8Array): Buffer;
};

/** The accounts that pay for sponsored sends: one for all EVM chains, one for Solana. They belong to the instance. */
export type PaymasterVault = {
  /** EVM: 0x and 40 lower-case hex digits. Solana: base58. */
  address(chain: 'eip155' | 'solana'): string;
  /** ECDSA by the EVM account. `digest`: 32 bytes. */
  signDigest(digest: Uint8Array): RawSignature;
  /** Ed25519 by the Solana account: 64 bytes. */
  signMessage(message: Uint8Array): Buffer;
};

/** The operations on keys, grouped by kind of custody. */
export type Vault = {
  /** A keyed hash under which what somebody spent is counted: addresses and contacts are not stored in clear. */
  rateKey(scope: string, key: string): Buffer;
  tokens: TokenVault;
  signing: SigningVault;
  creating: CreatingVault;
  importing: ImportingVault;
  oneTime: OneTimeVault;
  codes: CodeVault;
  sessions: SessionVault;
  issuing: IssuingVault;
  oauth2: Oauth2Vault;
  proxy: ProxyVault;
  texts: TextVault;
  /** The permit for one allowed export. Secrets leave in no other way. */
  permitExport(organizationId: string): ExportingVault;
};

/** A provider of the root key. It wraps the few master keys and sees nothing else. */
export type RootKey = {
  /** Identifies the provider and the key without revealing the key. Stored beside each wrapped key. */
  readonly id: string;
  wrap(plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** Throws if the key is wrong or the data was changed; the message says what to check. */
  unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer>;
};
