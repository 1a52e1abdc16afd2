/** How a user may show who they are. OTP and OAuth: by an attested stamp. */
export const AUTHENTICATION_TYPES = [
  'AUTHENTICATION_TYPE_EMAIL_OTP',
  'AUTHENTICATION_TYPE_SMS_OTP',
  'AUTHENTICATION_TYPE_PASSKEY',
  'AUTHENTICATION_TYPE_API_KEY',
  'AUTHENTICATION_TYPE_OAUTH',
  'AUTHENTICATION_TYPE_SESSION',
] as const;

export type AuthenticationType = (typeof AUTHENTICATION_TYPES)[number];

/** `id`: of one API key, passkey, OAuth provider or session profile; without it, any of the user's. */
export type AuthenticationMethod = { type: AuthenticationType; id?: string };

/** One of these methods is enough. */
export type MfaStep = { any: AuthenticationMethod[] };

/** Stands for sessions without a profile. */
export const NO_PROFILE = '00000000-0000-0000-0000-000000000000';

/** What a user must stamp with, besides the credential that submitted or approved an activity, if the condition is true of it. */
export type MfaPolicy = {
  organizationId: string;
  userId: string;
  id: string;
  name: string;
  /** A condition of the policy language. */
  condition: string;
  /** All of them are needed, in any order. */
  steps: MfaStep[];
  /** Of several policies that match, the first applies alone. */
  order: number;
  notes: string | null;
  createdAt: number;
  updatedAt: number;
};

/** In the order in which they are asked. Ids are in the order of creation. */
export const inOrder = (policies: readonly MfaPolicy[]): MfaPolicy[] =>
  policies.toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
