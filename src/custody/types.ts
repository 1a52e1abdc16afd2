import type { Attested } from '../crypto/attestation.ts';
import type { Curve } from '../crypto/curves.ts';
import type { MnemonicLanguage } from '../crypto/mnemonic.ts';
import type { RawSignature, SignatureScheme, ToSign } from '../crypto/signing-types.ts';
import type { FrostRequest, FrostShare } from '../crypto/spark/frost.ts';
import type { SendTweak, SparkRefund } from '../crypto/spark/messages.ts';
import type { SparkKey } from '../crypto/spark/paths.ts';

/** The place of a secret. It is part of the key derivation and additional data, so a moved row does not open. */
export type SecretName = { organizationId: string; id: string; purpose: string };

/** A sealed secret cannot be opened. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

export type Sealed = { name: SecretName; sealed: Buffer };

export type SealedKey = Sealed & { curve: Curve };

export type NewAccount = { id: string; curve: Curve; path: string };

export type DerivedAccount = { id: string; publicKey: Buffer; sealed: Buffer };

/** Operations for activities that declare `custody: 'sign'`. */
export type SigningVault = {
  /** Opens the key, signs each input in order, and wipes the key. */
  sign(key: SealedKey, scheme: SignatureScheme, inputs: readonly ToSign[]): RawSignature[];
};

/** Operations for activities that declare `custody: 'create'`. Plaintext never leaves the vault; the caller stores the sealed secrets. */
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
  /** Returns an `exportBundle`: the mnemonic, as stored or in another language, and its passphrase if it has one. */
  exportMnemonic(mnemonic: Sealed, targetPublicKey: Uint8Array, language?: MnemonicLanguage): string;
  /** Returns an `exportBundle` with the raw private key. */
  exportKey(key: Sealed, targetPublicKey: Uint8Array): string;
  /** The same with the bytes of a secret that was imported. */
  exportSecret(id: string, sealed: Buffer, targetPublicKey: Uint8Array): string;
};

/** The key to which the client seals an import. `publicKey`: lower-case hex, 65 bytes. */
export type TargetKey = { organizationId: string; id: string; publicKey: string; sealed: Buffer };

/** Operations for activities that declare `custody: 'import'`. They throw BundleError if the client's bundle is invalid. */
export type ImportingVault = {
  /** `userId`: only this user imports. */
  newImportTarget(organizationId: string, id: string, userId?: string): TargetKey & { importBundle: string };
  importWallet(
    target: TargetKey,
    encryptedBundle: string,
    walletId: string,
    accounts: readonly NewAccount[],
  ): Promise<{ sealedMnemonic: Buffer; accounts: DerivedAccount[] }>;
  importPrivateKey(target: TargetKey, encryptedBundle: string, id: string, curve: Curve): { publicKey: Buffer; sealed: Buffer };
  /** Returns the sealed secret. */
  importSecret(target: TargetKey, encryptedBundle: string, id: string): Buffer;
};

/** Operations for activities that declare `custody: 'tokens'`, which issue tokens. */
export type TokenVault = {
  /** ECDSA on P-256 over SHA-256 by a key of the service itself: r ‖ s. */
  signToken(key: 'otp-signer' | 'legacy-token-signer', data: Uint8Array): Uint8Array;
};

/** Operations for activities that declare `custody: 'one-time'`. A person receives the secret; the service stores only a keyed hash. */
export type OneTimeVault = {
  /** `secret`: 32 random bytes in base64url. */
  newSecret(name: SecretName): { secret: string; hash: Buffer };
  /** Runs in constant time, even without a hash. */
  matches(name: SecretName, hash: Buffer | undefined, secret: string): boolean;
};

/** The form of a one-time code: its number of characters, and whether it may have letters besides digits. */
export type CodeForm = { length: number; alphanumeric: boolean };

/** The key to which the client seals a code. `publicKey`: lower-case hex, 65 bytes. */
export type CodeTarget = { organizationId: string; id: string; publicKey: string; sealed: Buffer };

/** Operations for activities that declare `custody: 'codes'`. A person types the one-time code; the service stores only a keyed hash. */
export type CodeVault = {
  newCode(organizationId: string, id: string, form: CodeForm): { code: string; hash: Buffer };
  /** For a code that is not random. */
  hashCode(organizationId: string, id: string, code: string): Buffer;
  /** Runs in constant time, even without a hash. Ignores the case of letters. A letter that resembles a digit counts as that digit. */
  matchesCode(organizationId: string, id: string, hash: Buffer | undefined, code: string): boolean;
  newCodeTarget(organizationId: string, id: string): CodeTarget & { bundle: string };
  /** Opens the text that the client sealed to the target. Throws BundleError. */
  openCode(target: CodeTarget, encryptedBundle: string): string;
};

/** Operations for activities that declare `custody: 'sessions'`, which log users in. */
export type SessionVault = {
  /** ECDSA on P-256 over SHA-256 of SHA-256: r ‖ s. Clients verify session tokens this way, although the tokens say ES256. */
  signSession(data: Uint8Array): Uint8Array;
};

/** Operations for activities that declare `custody: 'issue'`, which make a user's key and give it to the client. */
export type IssuingVault = {
  /**
   * Makes a fresh key pair on P-256. `publicKey`: lower-case hex, 33 bytes. Only the bundle contains the private key, sealed to the
   * target (33 or 65 bytes). Throws BundleError if the target is no public key of P-256.
   */
  newCredential(targetPublicKey: Uint8Array): { publicKey: string; credentialBundle: string };
};

type Place = { organizationId: string; id: string };

/** Operations for activities that declare `custody: 'oauth2'`. */
export type Oauth2Vault = {
  /** Opens the client secret, which the client sealed to the service: an envelope in hex. Seals it again for storage. Throws BundleError. */
  sealClientSecret(credential: Place, encryptedClientSecret: string): Buffer;
  openClientSecret(credential: Place, sealed: Buffer): string;
  /** Seals a token of the provider to a key of the client (33 or 65 bytes), like a credential bundle. Throws BundleError. */
  sealBearerToken(targetPublicKey: Uint8Array, token: string): string;
  /** The key in the JWKS of this service: lower-case hex, 65 bytes. */
  identityPublicKey: string;
  /** ECDSA on P-256 over SHA-256 by the key in the JWKS: r ‖ s. */
  signIdentityToken(data: Uint8Array): Uint8Array;
};

/** Operations for activities that declare `custody: 'on-ramp'`. They open what the client sealed to the service. Both throw BundleError. */
export type OnRampVault = {
  /** Seals the secret for storage: a key, which has no spaces, or any text. */
  sealSecretKey(credential: Place, encrypted: string, kind: 'key' | 'text'): Buffer;
  /** Seals the private key of Coinbase for storage. It is of EC P-256 in PEM, or of Ed25519 in base64. */
  sealPrivateKey(credential: Place, encrypted: string): Buffer;
};

export type JwtSigner = { alg: 'ES256' | 'EdDSA'; sign(data: Uint8Array): Buffer };

/** For calls to on-ramp providers. */
export type OnRampSigning = {
  /** HMAC-SHA-256 of a text under the secret, in base64, as MoonPay verifies it. */
  signText(credential: Place, sealedSecretKey: Buffer, text: string): string;
  /** Opens the private key for one call. */
  withPrivateKey<T>(credential: Place, sealedPrivateKey: Buffer, use: (signer: JwtSigner) => T): T;
};

export type ProxyKey = Place & { publicKey: string; sealed: Buffer };

/** The keys of auth proxies. Only the service has them. */
export type ProxyVault = {
  /** Makes a fresh key pair on P-256. `publicKey`: lower-case hex, 33 bytes. */
  newProxyKey(place: Place): ProxyKey;
  /** ECDSA on P-256 over SHA-256 of the body, as DER in hex, like the stamps of API keys. */
  stampAsProxy(key: Place & { sealed: Buffer }, body: Uint8Array): string;
};

/** Sealed texts: waiting messages, bodies and results of activities that have a secret, and tickets, which clients bring back. */
export type SealedText = 'message' | 'activity-body' | 'activity-result' | 'stream-ticket';

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

/** A key that signs webhooks. `kid`: SHA-256 of the public key, 64 hex digits. `publicKey`: lower-case hex, 32 bytes. */
export type WebhookKey = { kid: string; publicKey: string; sealed: Buffer };

/** The keys with which receivers verify webhooks. They belong to the instance. */
export type WebhookVault = {
  newWebhookKey(): WebhookKey;
  /** Ed25519: 64 bytes. */
  signWebhook(key: Pick<WebhookKey, 'kid' | 'sealed'>, message: Uint8Array): Buffer;
};

/** The wallet of a Spark account, and the account's number in it. */
export type SparkAccount = { mnemonic: Sealed; account: number };

/** `publicKey`: 33 bytes. The place of an operator in the list is the number of its share, from 1. */
export type SparkRecipients = {
  threshold: number;
  operators: readonly { operatorId: string; publicKey: Uint8Array }[];
};

/** Documents about keys of processes and apps (src/crypto/attestation.ts). */
export type AttestationVault = {
  /** In CBOR. `moduleId`: ASCII. */
  attest(facts: Attested): Buffer;
  /** Undefined unless it is a document of this service. Never throws. */
  openAttestation(document: Uint8Array): Attested | undefined;
};

type SparkPackages = { packages: Uint8Array[] };

/**
 * Operations for activities that declare `custody: 'spark'`. Points are on the curve. Packages are in the order of operators, each
 * sealed to its own. Public keys have 33 bytes, and the order of leaves.
 */
export type SparkVault = {
  /** The user's shares of FROST signatures. Each call draws fresh nonces, uses them once and forgets them. */
  signFrost(account: SparkAccount, requests: readonly (FrostRequest & { key: SparkKey })[]): Promise<FrostShare[]>;
  /** `userSignature`: ECDSA in DER. The numbers of `oldLeafId` and `newLeafId` differ. */
  prepareTransfer(
    account: SparkAccount,
    transfer: SparkRecipients & {
      transferId: string;
      receiver: Uint8Array;
      leaves: readonly (Pick<SendTweak, SparkRefund | 'leafId'> & { oldLeafId: string; newLeafId: string })[];
    },
  ): Promise<SparkPackages & { userSignature: Uint8Array; newLeafPublicKeys: Uint8Array[] }>;
  /** `ciphertext`: sealed to the identity key. `signature`: of the sender, r ‖ s. Throws SparkLeafError. */
  claimTransfer(
    account: SparkAccount,
    claim: SparkRecipients & {
      transferId: string;
      sender: Uint8Array;
      leaves: readonly { leafId: string; ciphertext: Uint8Array; signature: Uint8Array }[];
    },
  ): Promise<SparkPackages & { newLeafPublicKeys: Uint8Array[] }>;
  /** Makes a preimage, of which only the operators get shares. */
  prepareLightningReceive(recipients: SparkRecipients): Promise<SparkPackages & { paymentHash: Uint8Array }>;
};

/** Operations for activities that declare `custody: 'quorum'`. Sealed shares are envelopes: see src/crypto/quorum-envelope.ts. */
export type QuorumVault = {
  /**
   * Makes a quorum key, and forgets it. Only its shares exist then: one for each of these points of P-256 (65 bytes), sealed to it.
   * `publicKey`: 130 bytes.
   */
  newQuorumKey(threshold: number, encryptKeys: readonly Uint8Array[]): Promise<{ publicKey: Buffer; shares: Buffer[] }>;
  /**
   * Opens the share of a hosted operator and seals it to the ephemeral key (65 bytes). Signs the hash of the manifest: r ‖ s. Throws
   * BundleError if the share is not sealed to the operator, or the ephemeral key is no point of P-256.
   */
  reEncryptShare(
    operator: { encryptKey: Sealed; signKey: Sealed },
    share: Buffer,
    to: { ephemeralKey: Uint8Array; manifestHash: Uint8Array },
  ): { share: Buffer; signature: Buffer };
};

/** The operations on keys, grouped by kind of custody. */
export type Vault = {
  /** A keyed hash that identifies the holder of a limit, so that addresses and contacts are not stored in clear. */
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
  onRamp: OnRampVault & OnRampSigning;
  proxy: ProxyVault;
  texts: TextVault;
  webhooks: WebhookVault;
  spark: SparkVault;
  quorum: QuorumVault;
  attestations: AttestationVault;
  /** The permit for one allowed export. Secrets leave the vault in no other way. */
  permitExport(organizationId: string): ExportingVault;
};

/** A provider of the root key. It wraps the few master keys and sees nothing else. */
export type RootKey = {
  /** Identifies the provider and the key without revealing the key. It is stored beside each wrapped key. */
  readonly id: string;
  wrap(plain: Buffer, aad: Buffer): Promise<Buffer>;
  /** Throws if the key is wrong or the data was changed. The message says what to check. */
  unwrap(wrapped: Buffer, aad: Buffer): Promise<Buffer>;
};
