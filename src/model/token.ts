/** The purposes of a verification token. Each may be used once. */
export type TokenPurpose = 'signup' | 'login' | 'update';

/**
 * A use of a verification token, or of a stream's ticket. `organizationId`: the organization that issued the token. `expiresAt`: when
 * the token expires.
 */
export type TokenUse = { organizationId: string; tokenId: string; purpose: TokenPurpose | 'stream'; expiresAt: number };

/** How the contact was verified. */
export const OTP_TYPES = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS', 'OTP_TYPE_WHATSAPP'] as const;

/** Proves that a person received a one-time code at a contact. */
export type VerificationToken = {
  /** `legacy`: from the first version of VERIFY_OTP. `enclave`: from the second version; always bound to a key. */
  kind: 'legacy' | 'enclave';
  id: string;
  /** The organization that issued the token. Its sub-organizations may use the token too. */
  organizationId: string;
  type: (typeof OTP_TYPES)[number];
  contact: string;
  /** The public key that must sign each use of the token: lower-case hex of 33 bytes, on P-256. Null if the token is bound to no key. */
  publicKey: string | null;
  /** Milliseconds. */
  expiresAt: number;
  /** The code was requested or verified at the auth proxy: see `holdsIn`. */
  byProxy?: true;
};

/**
 * Whether a token is valid in an organization. Anyone may request a code at the auth proxy, so its tokens are valid in
 * sub-organizations only.
 */
export const holdsIn = ({ byProxy }: { byProxy?: boolean }, { parentId }: { parentId: string | null }): boolean =>
  byProxy !== true || parentId !== null;
