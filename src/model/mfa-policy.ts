/** How a user may authenticate. OTP and OAuth: by an attested stamp. */
export const AUTHENTICATION_TYPES = [
  'AUTHENTICATION_TYPE_EMAIL_OTP',
  'AUTHENTICATION_TYPE_SMS_OTP',
  'AUTHENTICATION_TYPE_PASSKEY',
  'AUTHENTICATION_TYPE_API_KEY',
  'AUTHENTICATION_TYPE_OAUTH',
  'AUTHENTICATION_TYPE_SESSION',
] as const;

export type AuthenticationType = (typeof AUTHENTICATION_TYPES)[number];

/** `id`: of one API key, passkey, OAuth provider or session profile. Absent: any of the user's. */
export type AuthenticationMethod = { type: AuthenticationType; id?: string };

/** One of these methods is sufficient. */
export type MfaStep = { any: AuthenticationMethod[] };

/** The id for sessions without a profile. */
export const NO_PROFILE = '00000000-0000-0000-0000-000000000000';

/**
 * The stamps that a user needs for an activity if the condition is true of it. They are needed besides the credential that submitted or
 * approved the activity.
 */
export type MfaPolicy = {
  organizationId: string;
  userId: string;
  id: string;
  name: string;
  /** A condition of the policy language. */
  condition: string;
  /** All steps are needed, in any order. */
  steps: MfaStep[];
  /** If several policies match, only the first applies. */
  order: number;
  notes: string | null;
  createdAt: number;
  updatedAt: number;
};

/** In the order of evaluation. For equal orders, ids decide: they are in the order of creation. */
export const inOrder = (policies: readonly MfaPolicy[]): MfaPolicy[] =>
  policies.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
