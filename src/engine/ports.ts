/** What the engine needs from outside itself and gets from `app.ts`. */

/** An API-key stamp as it came in `X-Stamp`, decoded but not verified. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string };

export type StampPort = {
  /** Lower-case compressed form of the public key, if scheme and key fit together. */
  normalize(stamp: ApiKeyStamp): string | undefined;
  /** Over the raw bytes. `others` says that more requests wait: then the thread pool may do it. */
  verify(stamp: ApiKeyStamp, body: Buffer, others: boolean): boolean | Promise<boolean>;
};

/** What became known of a request while it was answered, for the log: what was found, never what a caller only claims. */
export type Trace = {
  organizationId?: string;
  type?: string;
  userId?: string;
  credentialId?: string;
  /** The stored activity, also where it was refused. */
  activityId?: string;
  /** Paths of members that nothing reads. Known once the caller is. */
  ignored?: readonly string[];
};

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
