import type { Oauth2Provider } from '../../model/oauth2-credential.ts';

/** A provider, as its own documents describe it. Paths are below its base address. */
export type Provider = {
  /** The provider's name for people. */
  title: string;
  baseUrl: string;
  /** Where a code is exchanged for a token (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
  tokenPath: string;
  /** The path that returns the token's user. */
  userPath: string;
  /** The path to the user's id in that answer. */
  id: readonly string[];
  /** The prefix of the id in the subject of our tokens. It never changes, because registrations depend on it. */
  subject: string;
  /** The scopes that the application must have asked the user for. */
  scopes: string;
};

export const PROVIDERS: Readonly<Record<Oauth2Provider, Provider>> = {
  OAUTH2_PROVIDER_X: {
    title: 'X',
    baseUrl: 'https://api.x.com',
    tokenPath: '/2/oauth2/token',
    userPath: '/2/users/me',
    id: ['data', 'id'],
    subject: 'x',
    scopes: 'tweet.read and users.read',
  },
  OAUTH2_PROVIDER_DISCORD: {
    title: 'Discord',
    baseUrl: 'https://discord.com',
    tokenPath: '/api/oauth2/token',
    userPath: '/api/users/@me',
    id: ['id'],
    subject: 'discord',
    scopes: 'identify',
  },
};
