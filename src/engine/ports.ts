import type { OidcIdentity } from '../model/oauth-provider.ts';

/** The engine's external dependencies, supplied by `app/compose.ts`. */

/** An API-key stamp from `X-Stamp`, decoded but not verified. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string };

export type StampPort = {
  /** Lower-case compressed form of the public key, if scheme and key fit together. */
  normalize(stamp: ApiKeyStamp): string | undefined;
  /** Verifies over the raw bytes. `others`: more requests wait, so the thread pool may be used. */
  verify(stamp: ApiKeyStamp, body: Buffer, others: boolean): boolean | Promise<boolean>;
};

/** What is known of a request, for the log. `organizationId` and `type` are as the request names them; the rest is verified. */
export type Trace = {
  organizationId?: string;
  type?: string;
  userId?: string;
  credentialId?: string;
  /** The stored activity, even if it was refused. */
  activityId?: string;
  /** Why it was refused, where the answer does not say so. */
  why?: string;
  /** Paths of unknown members. Set once the caller is known. */
  ignored?: readonly string[];
};

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** What a token says, once it is verified. */
export type VerifiedToken = OidcIdentity & {
  /** An email address that the issuer vouches for, and that may be believed. */
  verifiedEmail: string | undefined;
};

export type OidcQuestion = {
  /** Milliseconds. */
  now: number;
  /** The top-level organization that asks: what one of them may have under way at once is bounded. */
  payer: string;
  /** The text of a public key. The token's nonce must be its hash. */
  boundTo?: string | undefined;
};

/** A token, and its field in the request. */
export type OidcToken = { token: string; field: string };

export type OidcPort = {
  /**
   * Verifies each token, in order. May ask their issuers, for a bounded time in all. Throws INVALID_OIDC_TOKEN, and `Unreachable` if an
   * issuer does not answer now. Never call it in a transaction.
   */
  verify(tokens: readonly OidcToken[], question: OidcQuestion): Promise<VerifiedToken[]>;
};
