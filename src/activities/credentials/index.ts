import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createApiKeys } from './create-api-keys.ts';
import { createAuthenticators } from './create-authenticators.ts';
import { createOauthProviders } from './create-oauth-providers.ts';
import { deleteApiKeys } from './delete-api-keys.ts';
import { deleteAuthenticators } from './delete-authenticators.ts';
import { deleteOauthProviders } from './delete-oauth-providers.ts';

export const credentials: readonly ActivityKind[] = [
  createApiKeys,
  createAuthenticators,
  createOauthProviders,
  deleteApiKeys,
  deleteAuthenticators,
  deleteOauthProviders,
];
