import type { Tables } from './types.ts';

export const credentialFields: Tables = {
  ApiKeyParams: {
    publicKey: 'A P-256 point in hex, compressed (66 digits) or not. It is unique in the organization.',
    expirationSeconds: 'How long the key is valid, in seconds as a text. Absent: until it is deleted.',
  },
  ApiKeyParamsV2: {
    publicKey: 'In hex: a point of the curve, compressed or not, or 32 bytes of Ed25519. It is unique in the organization.',
    curveType: 'The curve of the key, which its stamps use: P-256, secp256k1 or Ed25519.',
    expirationSeconds: 'How long the key is valid, in seconds as a text. Absent: until it is deleted.',
  },
  ApiKey: {
    credential: 'The public half, and what kind of credential it is.',
    expirationSeconds: 'How long it is valid from `createdAt`, in seconds as a text. Absent: until it is deleted.',
  },
  Credential: {
    publicKey: 'The key that verifies stamps, in lower-case hex. Of a passkey it is its COSE key in base64url.',
    type: 'Which kind of credential it is, such as `CREDENTIAL_TYPE_API_KEY_P256`.',
    sessionProfileId: 'The UUID of the session profile that limits it. Absent: it may submit what its user may.',
  },
  AuthenticatorParams: {
    userId: 'The same UUID as `userId` beside the list, where passkeys are added. Elsewhere it has no effect.',
    attestation: 'The browser’s answer to the registration, unchanged.',
  },
  AuthenticatorParamsV2: { attestation: 'What the browser returned at the registration.' },
  attestation: {
    id: 'The same text as `rawId`, or the request is refused.',
    type: 'The only kind of credential that WebAuthn has.',
    rawId: 'Base64url of the passkey’s own id, at most 256 characters.',
    response: 'The signed part of the browser’s answer.',
    clientExtensionResults: 'What extensions of the browser reported. It decides nothing.',
    credentialId: 'Base64url of the passkey’s own id, at most 256 characters. Stamps name the passkey by it.',
  },
  clientExtensionResults: {
    appid: 'Whether the older U2F identifier was used.',
    appidExclude: 'Whether older U2F keys were excluded.',
    credProps: 'Properties of the new passkey.',
  },
  Authenticator: {
    credentialId: 'Base64url of the passkey’s own id, by which its stamps name it.',
    model: 'The name of the authenticator’s model, if it is known; else empty.',
    credential: 'The passkey’s public key, as a COSE key.',
    authenticatorId: 'The UUID that requests name the passkey by.',
  },
  GetAuthenticatorRequest: { authenticatorId: 'The UUID of the wanted passkey.' },
  GetAuthenticatorResponse: { authenticator: 'The wanted passkey, without anything secret.' },
  GetAuthenticatorsResponse: { authenticators: 'All passkeys of the user, or a page of them, oldest first.' },
  GetApiKeyResponse: { apiKey: 'The public half of the wanted key, with its name and dates.' },
  GetApiKeysResponse: { apiKeys: 'All keys of the user, or of the organization user by user. Pages are oldest first.' },
  GetApiKeysRequest: { userId: 'The UUID of the owner. Absent: the keys of all users.' },
  GetOauthProvidersRequest: { userId: 'The UUID of the owner. Absent: the accounts of all users.' },
  GetOauthProvidersResponse: { oauthProviders: 'Accounts elsewhere by which users log in, all or a page of them, oldest first.' },
  CreateApiKeysIntent: {
    apiKeys: '1 to 100 public keys for the user: all are added or none.',
    userId: 'The UUID of the user who gets the credentials.',
  },
  CreateAuthenticatorsIntent: {
    authenticators: '1 to 20 new passkeys for the user: all are added or none.',
    userId: 'The UUID of the user who gets the credentials.',
  },
  CreateOauthProvidersIntent: {
    oauthProviders: 'Accounts elsewhere by which the user may log in, 1 to 100: all are added or none.',
    userId: 'The UUID of the user who gets the credentials.',
  },
  OauthProviderParams: { oidcToken: 'An OpenID token in which the issuer names the account, at most 16384 characters.' },
  OauthProviderParamsV2: {
    oidcToken: 'An OpenID token that names the account, at most 16384 characters. Give either it or `oidcClaims`.',
  },
  OidcClaims: {
    iss: 'The issuer of the account: a URL such as `https://accounts.google.com`, at most 512 characters.',
    sub: 'The account’s id at its issuer, at most 255 characters.',
    aud: 'The client id of the application at the issuer, at most 512 characters.',
  },
  OauthProvider: {
    providerId: 'The UUID that requests name this login by.',
    issuer: 'The issuer of the account: the `iss` of its tokens.',
    audience: 'The client id of the application: the `aud` of its tokens.',
    subject: 'The account’s id at its issuer: the `sub` of its tokens.',
  },
  AcceptInvitationIntent: {
    userId: 'The UUID of the user that the invitation made.',
    authenticator: 'The passkey of the invited person, which also stamps this request. Its challenge is the secret of the link.',
  },
  RecoverUserIntent: {
    userId: 'The UUID of the user whose recovery key stamps the request.',
    authenticator: 'The new passkey, with which the user logs in from now on.',
  },
  RecoverUserResult: { authenticatorId: 'A list with the UUID of the one new passkey.' },
  IpRuleParams: {
    cidr: 'A block of addresses such as `203.0.113.0/24`. The widest are /20 of IPv4 and /48 of IPv6.',
    label: 'What the block is, for people, such as the office, at most 255 characters.',
  },
  SetIpAllowlistIntent: {
    publicKey: 'The API key that the list is for, in hex. Absent: the whole organization.',
    enabled: 'Whether the organization’s list is applied. Default: as before, and false at first. A key’s list has none.',
    rules: 'Blocks from which requests are accepted: at most 10 of IPv4 and 10 of IPv6. Absent: they stay.',
  },
  RemoveIpAllowlistIntent: { publicKey: 'The API key whose list goes, in hex. Absent: the organization’s list.' },
  GetIpAllowlistRequest: { publicKey: 'The API key whose list is wanted, in hex. Absent: the organization’s list.' },
  GetIpAllowlistResponse: { allowlist: 'The addresses from which requests are accepted.' },
  IpAllowlistOut: {
    publicKey: 'The API key that the list is for, in hex. Absent: the whole organization.',
    enabled: 'Whether the list is applied. Absent if no list is set, and for the list of a key.',
    rules: 'Blocks from which requests are accepted. An enabled list without blocks accepts none; a key’s counts as absent.',
  },
  rules: {
    cidr: 'A block of addresses in its shortest form.',
    label: 'What the block is, for people.',
    createdAt: 'When the rule was set, in milliseconds since the epoch as a text.',
  },
  SessionProfile: {
    expirationSeconds: 'How long its sessions last at most, in seconds as a text. Absent: the profile sets no maximum.',
  },
  CreateSessionProfileIntent: {
    expirationSeconds:
      'How long its sessions last at most, and unless a login asks for less. In seconds as a text. Default: no maximum.',
  },
  GetSessionProfileResponse: { sessionProfile: 'The wanted limit, with its expression.' },
  GetSessionProfilesResponse: {
    sessionProfiles: 'Profiles of the top-level organization, which its sub-organizations share, oldest first.',
  },
  DeleteApiKeysIntent: {
    userId: 'The UUID of the user who loses the credentials.',
    apiKeyIds: 'UUIDs of the user’s API keys to delete: 1 to 100, all or none.',
  },
  DeleteAuthenticatorsIntent: {
    userId: 'The UUID of the user who loses the credentials.',
    authenticatorIds: 'UUIDs of the user’s passkeys to delete: 1 to 100, all or none.',
  },
  DeleteOauthProvidersIntent: {
    userId: 'The UUID of the user who loses the credentials.',
    providerIds: 'UUIDs of the user’s OAuth providers to delete: 1 to 100, all or none.',
  },
};
