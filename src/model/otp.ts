import type { OTP_TYPES } from './token.ts';

/** Wrong guesses after which a code is locked. */
export const ATTEMPTS = 3;

/** The window in which initiations for a contact are counted, and the maximum lifetime of a code. */
export const CONTACT_WINDOW_MS = 600_000;

/** The window in which initiations for a user identifier are counted. */
export const IDENTIFIER_WINDOW_MS = 180_000;

/** A one-time code that was sent to a contact. */
export type Otp = {
  organizationId: string;
  id: string;
  /**
   * The purpose of the code. `clear`: VERIFY_OTP with the code itself. `sealed`: VERIFY_OTP with the code sealed to a key. `auth`:
   * OTP_AUTH.
   */
  use: 'clear' | 'sealed' | 'auth';
  type: (typeof OTP_TYPES)[number];
  /** In the form of `parseEmail` and `parsePhone`. */
  contact: string;
  /** Digest of the client's identifier for the user who asked for the code. */
  userIdentifier: string | null;
  /** For `auth`: the user who logs in. Null if no user has the contact; then no code was sent. */
  userId: string | null;
  /** Keyed hash. Null once the code was used or is locked. */
  code: Buffer | null;
  /** Number of wrong guesses. */
  misses: number;
  /** For `sealed`: lower-case hex of 65 bytes, and the sealed private key. Null once the code was used or is locked. */
  targetPublicKey: string | null;
  targetKey: Buffer | null;
  expiresAt: number;
  createdAt: number;
  /** Whether the code was requested at the auth proxy. */
  byProxy: boolean;
};

export const isLive = ({ code, expiresAt }: Pick<Otp, 'code' | 'expiresAt'>, now: number): boolean =>
  code !== null && now < expiresAt;
