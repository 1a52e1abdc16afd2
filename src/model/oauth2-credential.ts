export const OAUTH2_PROVIDERS = ['OAUTH2_PROVIDER_X', 'OAUTH2_PROVIDER_DISCORD'] as const;

/** An identity provider that speaks OAuth 2.0 and no OpenID Connect. */
export type Oauth2Provider = (typeof OAUTH2_PROVIDERS)[number];

/** What an application is to such a provider. */
export type Oauth2Credential = {
  organizationId: string;
  id: string;
  provider: Oauth2Provider;
  clientId: string;
  /** As the client encrypted it to the service, in hex; shown to whoever asks. */
  encryptedClientSecret: string;
  /** The same secret under a master key; it is what is used. */
  sealedClientSecret: Buffer;
  createdAt: number;
  updatedAt: number;
};
