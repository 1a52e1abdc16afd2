import type { ATTESTED_SCHEME, Contact } from '../model/attested.ts';
import type { Network } from '../model/caip2.ts';
import type { CoinPrice } from '../model/gas.ts';
import type { OidcIdentity } from '../model/oauth-provider.ts';
import type { Oauth2Provider } from '../model/oauth2-credential.ts';
import type { FiatOnRampCredential, OnRampOrder, OnRampStatus, OnRampTransaction } from '../model/on-ramp.ts';
import type { Organization } from '../model/organization.ts';
import type { VerificationToken } from '../model/token.ts';

/** The engine's external dependencies, supplied by `app/build-engine.ts`. */

/** An API-key stamp from `X-Stamp`, decoded but not verified. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string };

/** A passkey's stamp from `X-Stamp-WebAuthn` or `X-Stamp`, decoded but not verified: its owner must be looked up first. */
export type PasskeyStamp = {
  /** Base64url without padding. */
  credentialId: string;
  scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN';
  /** JSON of all four members, for the record. */
  signature: string;
  assertion: { authenticatorData: Buffer; clientDataJson: Buffer; signature: Buffer };
};

/**
 * From `X-Stamp-Attested`: a P-256 key that belongs to no user, and a token that vouches for it. Its signature over the body is
 * verified.
 */
export type AttestedStamp = {
  publicKey: string;
  scheme: typeof ATTESTED_SCHEME;
  /** JSON of its members for the record, with a digest in place of the token. */
  signature: string;
  /** `keyText`: the public key as it was sent. */
  attestation: { by: 'verification-token' | 'oidc'; token: string; keyText: string };
};

/** The data of a passkey's registration that its stamps are verified by. Base64url. */
export type RegisteredPasskey = { publicKey: string; rpIdHash: string };

export type StampPort = {
  /** Lower-case compressed form of the public key, if scheme and key match. */
  normalize(stamp: ApiKeyStamp): string | undefined;
  /** Verifies over the raw bytes. `others`: more requests wait, so the thread pool may be used. */
  verify(stamp: ApiKeyStamp, body: Buffer, others: boolean): boolean | Promise<boolean>;
  /** `fingerprint`: of the body. `origins`: where the stamp may be made; undefined: anywhere. Never throws. */
  verifyPasskey(
    stamp: PasskeyStamp,
    registered: RegisteredPasskey,
    fingerprint: string,
    origins: readonly string[] | undefined,
  ): boolean;
};

/** Registries of container images. */
export type ImagePort = {
  /** The digest of what a name names, once its manifest was found good. Throws TVC_IMAGE_VALIDATION_FAILED. */
  validated(name: string, on: { payer: string }): Promise<string>;
};

/** The ephemeral key of this process, with which it signs app proofs. */
export type AppProofPort = {
  /** 130 bytes in lower-case hex. */
  publicKey: string;
  /** r ‖ s in lower-case hex, over the SHA-256 of the text. */
  sign(payload: string): string;
  /** Resolves once the boot proof of this process is stored. It is stored before the first call ends. */
  stored(): Promise<void>;
};

/** Reads verification tokens of this service. Undefined for a text that it did not sign. Never rejects. */
export type TokenPort = (text: string) => Promise<VerificationToken | undefined>;

/** The subject of an attestation. An OIDC token is not verified yet. */
export type AttestedFor =
  | { by: Contact; forms: readonly string[]; issuedIn: string; expiresAt: number; byProxy: boolean }
  | { by: 'oidc'; identity: OidcIdentity };

/**
 * Networks with RPC endpoints. The engine hands them to activities and queries, and asks nothing itself.
 * `chain-io/nodes/chain-nodes.ts` declares the members.
 */
// biome-ignore lint/suspicious/noEmptyInterface: another file adds the members
export interface NodesPort {}

/** For attested stamps. */
export type AttestationPort = {
  /**
   * Reads an attestation without any request to an issuer. A verification token is verified. Of an OIDC token, only the parts
   * that need no key are checked. These are its form, its times, and that it names the stamp's key. Throws SIGNATURE_INVALID
   * and INVALID_OIDC_TOKEN.
   */
  read(stamp: AttestedStamp, now: number): Promise<AttestedFor>;
  /** Verifies an OIDC token. May ask its issuer, for a limited time. Throws INVALID_OIDC_TOKEN and `Unreachable`. */
  verify(stamp: AttestedStamp, question: Pick<OidcQuestion, 'now' | 'payer'>): Promise<VerifiedToken>;
};

/** Facts about a request, for the log. `organizationId` and `type` are as the request names them; the rest is verified. */
export type Trace = {
  organizationId?: string;
  type?: string;
  userId?: string;
  credentialId?: string;
  /** The stored activity, even if it was refused. */
  activityId?: string;
  /** The trace that shows this request. */
  traceId?: string;
  /** The reason for a refusal, where the answer does not give it. */
  why?: string;
  /** Paths of unknown members. Set once the caller is known. */
  ignored?: readonly string[];
};

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** The contents of a verified token. */
export type VerifiedToken = OidcIdentity & {
  /** An email address that the issuer vouches for, and that may be trusted. */
  verifiedEmail: string | undefined;
};

export type OidcQuestion = {
  /** Milliseconds. */
  now: number;
  /** The top-level organization that asks. Its concurrent questions are limited. */
  payer: string;
  /** The text of a public key. The token's nonce must be its hash. */
  boundTo?: string | undefined;
};

/** The messages that the service can send. */
export type MessagePort = {
  mail: {
    enabled: boolean;
    /** Domains, in DNS form, that requests may name as the sender's. */
    senderDomains: ReadonlySet<string>;
    /**
     * Whether mail to a domain, in DNS form, can be delivered. True if the check is switched off. Rejects if DNS does not
     * answer.
     */
    reaches(domain: string): Promise<boolean>;
  };
  sms: { enabled: boolean };
};

/** The payment processor. */
export type BillingPort = {
  /** The last four digits of a payment method that its page made there. '' if the processor does not tell. */
  lastFourOf(paymentMethodId: string): Promise<string>;
};

/** Charges nothing. */
export const NO_BILLING: BillingPort = { lastFourOf: async () => '' };

/** A token, and its field in the request. */
export type OidcToken = { token: string; field: string };

export type OidcPort = {
  /**
   * The identity that the token claims. Nothing of it is trusted yet. Throws INVALID_OIDC_TOKEN for a token that no key could
   * make valid.
   */
  claimed(token: OidcToken, question: Omit<OidcQuestion, 'payer'>): OidcIdentity;
  /**
   * Verifies each token, in order. May ask their issuers, for a limited time in all. Throws INVALID_OIDC_TOKEN, and
   * `Unreachable` if an issuer does not answer now. Never call it in a transaction.
   */
  verify(tokens: readonly OidcToken[], question: OidcQuestion): Promise<VerifiedToken[]>;
};

/** An application's secret, and the code that a user gave it. */
export type Oauth2Exchange = {
  provider: Oauth2Provider;
  clientId: string;
  clientSecret: string;
  authCode: string;
  redirectUri: string;
  codeVerifier: string;
};

/** `subject`: such as `x:123`. `bearerToken`: the application may use it for further requests to the provider. */
export type Oauth2User = { subject: string; bearerToken: string };

export type Oauth2Port = {
  /**
   * The owner of the code. A code works once, so the provider is asked once for each `activity`. `payer`: the top-level
   * organization. Throws REQUEST_INVALID, OAUTH2_PROVIDER_NOT_CONFIGURED, and `Unreachable` if the provider does not answer
   * now.
   */
  authenticate(exchange: Oauth2Exchange, on: { payer: string; activity: string }): Promise<Oauth2User>;
};

/** A purchase of `transactionId` for which a provider's page is wanted. */
export type OnRampAsked = {
  credential: FiatOnRampCredential;
  transactionId: string;
  order: OnRampOrder;
  /** The query of a page that the client built, with its `?`, to be signed too. */
  searchToSign: string | undefined;
};

/** `signature`: of `searchToSign`. */
export type OnRampPage = { url: string; signature?: string };

export type OnRampPort = {
  /**
   * The page on which a person can buy. `payer`: the top-level organization. `address`: of the person's machine, if it is known. Throws
   * REQUEST_INVALID, FIAT_ON_RAMP_NOT_CONFIGURED, and `Unreachable` if the provider does not answer now.
   */
  page(asked: OnRampAsked, on: { payer: string; address: string | undefined }): Promise<OnRampPage>;
  /**
   * The status of a stored transaction. The provider is asked if it may have changed, at most every three seconds over all processes.
   * Throws the same.
   */
  refreshed(transaction: OnRampTransaction, organization: Pick<Organization, 'id' | 'parentId'>): Promise<OnRampStatus>;
};

type Hex = `0x${string}`;

/** Contracts on one chain, in lower case. Their code was seen there. */
export type Station = { station: Hex; delegate: Hex };

/**
 * The payer of sponsored sends on an EVM chain. `paymaster`: lower case. `feeLimitPercent`: the most that a replacement pays
 * for a unit of gas, in per cent of the judged price.
 */
export type EvmSponsor = Station & { paymaster: Hex; price: CoinPrice; feeLimitPercent: number };

/** `paymaster`: base58. `rentLamports`: the most that it pays for rent in one transaction. */
export type SolanaSponsor = { paymaster: string; price: CoinPrice; rentLamports: bigint };

type Eip155 = Extract<Network, { kind: 'eip155' }>;

/**
 * A network may be given as its node. May ask nodes and a source of prices, for a limited time: never call it in a transaction.
 */
export type SponsorshipPort = {
  /** Whether this account, in lower case, pays on EVM chains. Such an account's nonces are the service's own. */
  isPaymaster(account: string): boolean;
  /** As of `EvmSponsor`, for sends that their own account pays. */
  readonly feeLimitPercent: number;
  /** For batches whose own account pays for them. Throws SPONSORSHIP_UNAVAILABLE, and `Unreachable` if no node answers now. */
  stationOf(network: Eip155): Promise<Station>;
  /**
   * The same. Also throws SPONSORSHIP_DISABLED if the operator does not pay for this top-level organization. Throws
   * `Unreachable` also if there is no fresh price now. `reserveGas` decides whether an organization's sends are sponsored.
   */
  sponsorOf<N extends Network>(network: N, payerId: string): Promise<N extends Eip155 ? EvmSponsor : SolanaSponsor>;
};
