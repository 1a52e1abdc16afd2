import type { OTP_TYPES } from './token.ts';

/** Wrong guesses after which a code is locked. */
export const ATTEMPTS = 3;

/** Time in which initiations for a contact are counted, and the longest life of a code. */
export const CONTACT_WINDOW_MS = 600_000;

/** Time in which initiations of a user identifier are counted. */
export const IDENTIFIER_WINDOW_MS = 180_000;

/** A one-time code that was sent to a contact. */
export type Otp = {
  organizationId: string;
  id: string;
  /** What it is for. `clear`: VERIFY_OTP with the code itself. `sealed`: VERIFY_OTP with the code sealed to a key. `auth`: OTP_AUTH. */
  use: 'clear' | 'sealed' | 'auth';
  type: (typeof OTP_TYPES)[number];
  /** As `parseEmail` and `parsePhone` write it. */
  contact: string;
  /** Digest of what the client calls whoever asked. */
  userIdentifier: string | null;
  /** Of `auth`: the user who logs in. Null if nobody has the contact: then the code was sent to nobody. */
  userId: string | null;
  /** Keyed hash; null once the code was used or is locked. */
  code: Buffer | null;
  /** Wrong guesses. */
  misses: number;
  /** Of `sealed`: lower-case hex of 65 bytes, and the sealed private key. Null once the code was used or is locked. */
  targetPublicKey: string | null;
  targetKey: Buffer | null;
  expiresAt: number;
  createdAt: number;
  /** Asked for at the auth proxy. */
  byProxy: boolean;
};

export const isLive = ({ code, expiresAt }: Pick<Otp, 'code' | 'expiresAt'>, now: number): boolean =>
  code !== null && now < expiresAt;
