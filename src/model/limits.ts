/** Default limits per organization or user. Settings can change them. */
export const DEFAULT_LIMITS = {
  wallets: 100,
  walletAccounts: 10_000,
  privateKeys: 1000,
  users: 100,
  policies: 10_000,
  policyCharacters: 4_194_304,
  policyCharactersOfSubOrganization: 1_048_576,
  contractInterfaceCharacters: 8_388_608,
  tags: 100,
  tagsOfSubOrganization: 10,
  longLivedApiKeys: 10,
  expiringApiKeys: 10,
  invitations: 100,
  sessionProfiles: 100,
  liveOtps: 3,
  otpInitiations: 10,
  otpInitiationsOfIdentifier: 3,
  authenticators: 10,
  oauthProviders: 10,
  oauth2Credentials: 100,
  mfaPolicies: 10,
};

export type Limits = Readonly<typeof DEFAULT_LIMITS>;
