import type { QueryKind } from '../../engine/query/declare.ts';
import { getApiKey } from './get-api-key.ts';
import { getApiKeys } from './get-api-keys.ts';
import { getAuthenticator } from './get-authenticator.ts';
import { getAuthenticators } from './get-authenticators.ts';
import { getOauthProviders } from './get-oauth-providers.ts';

export const credentials: readonly QueryKind[] = [getApiKey, getApiKeys, getAuthenticator, getAuthenticators, getOauthProviders];
