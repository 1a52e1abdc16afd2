import type { VerificationToken } from '../model/token.ts';

/** The engine's external dependencies, supplied by `app/compose.ts`. */

/** An API-key stamp from `X-Stamp`, decoded but not verified. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string };

export type StampPort = {
  /** Lower-case compressed form of the public key, if scheme and key fit together. */
  normalize(stamp: ApiKeyStamp): string | undefined;
  /** Verifies over the raw bytes. `others`: more requests wait, so the thread pool may be used. */
  verify(stamp: ApiKeyStamp, body: Buffer, others: boolean): boolean | Promise<boolean>;
};

/** Reads verification tokens of this service. Undefined for what it did not sign. */
export type TokenPort = (text: string) => VerificationToken | undefined;

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
