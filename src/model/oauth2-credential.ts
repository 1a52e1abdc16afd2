export const OAUTH2_PROVIDERS = ['OAUTH2_PROVIDER_X', 'OAUTH2_PROVIDER_DISCORD'] as const;

/** An identity provider that supports OAuth 2.0 but not OpenID Connect. */
export type Oauth2Provider = (typeof OAUTH2_PROVIDERS)[number];

/** The registration of an application at such a provider. */
export type Oauth2Credential = {
  organizationId: string;
  id: string;
  provider: Oauth2Provider;
  clientId: string;
  /** The client's ciphertext for the service, in hex. Any caller that may read the credential sees it. */
  encryptedClientSecret: string;
  /** The same secret, sealed under a master key. The service uses this one. */
  sealedClientSecret: Buffer;
  createdAt: number;
  updatedAt: number;
};
