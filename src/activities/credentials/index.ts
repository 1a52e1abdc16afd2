import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createApiKeys } from './create-api-keys.ts';
import { createOauthProviders } from './create-oauth-providers.ts';
import { deleteApiKeys } from './delete-api-keys.ts';
import { deleteOauthProviders } from './delete-oauth-providers.ts';

export const credentials: readonly ActivityKind[] = [createApiKeys, createOauthProviders, deleteApiKeys, deleteOauthProviders];
