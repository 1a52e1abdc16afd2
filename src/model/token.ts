/** What a verification token may be used for, once each. */
export type TokenPurpose = 'signup' | 'login' | 'update';

/** `organizationId` issued the token; `expiresAt` is the token's. */
export type TokenUse = { organizationId: string; tokenId: string; purpose: TokenPurpose; expiresAt: number };

/** How the contact was verified. */
export const OTP_TYPES = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS', 'OTP_TYPE_WHATSAPP'] as const;

/** Shows that somebody received a one-time code at a contact. */
export type VerificationToken = {
  /** `legacy`: of the first version of VERIFY_OTP. `enclave`: of the second; always bound to a key. */
  kind: 'legacy' | 'enclave';
  id: string;
  /** That issued it. Also its sub-organizations may use it. */
  organizationId: string;
  type: (typeof OTP_TYPES)[number];
  contact: string;
  /** Who uses the token must sign with this key: lower-case hex of 33 bytes, on P-256. Null if it is bound to none. */
  publicKey: string | null;
  /** Milliseconds. */
  expiresAt: number;
  /** The code was asked for or verified at the auth proxy: see `holdsIn`. */
  byProxy?: true;
};

/** Whether a token is good in an organization. Anybody may ask the auth proxy for a code, so its tokens are good in sub-organizations alone. */
export const holdsIn = ({ byProxy }: { byProxy?: boolean }, { parentId }: { parentId: string | null }): boolean =>
  byProxy !== true || parentId !== null;
