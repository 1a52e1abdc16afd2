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
  /** Paths of unknown members. Set once the caller is known. */
  ignored?: readonly string[];
};

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Who somebody is to an OIDC issuer. */
export type OidcIdentity = {
  issuer: string;
  audience: string;
  subject: string;
};

/** What a token says, once it is verified. */
export type VerifiedToken = OidcIdentity & {
  /** An email address that the issuer vouches for, and that may be believed. */
  verifiedEmail: string | undefined;
};

export type OidcQuestion = {
  /** The token's field in the request. */
  field: string;
  /** Milliseconds. */
  now: number;
  /** The top-level organization that asks: what one of them may have under way at once is bounded. */
  payer: string;
  /** The text of a public key. The token's nonce must be its hash. */
  boundTo?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type OidcPort = {
  /** May ask the token's issuer. Throws INVALID_OIDC_TOKEN, and `Unreachable` if the issuer does not answer now. */
  verify(token: string, question: OidcQuestion): Promise<VerifiedToken>;
};
