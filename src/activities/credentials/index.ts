import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createApiKeys } from './create-api-keys.ts';
import { deleteApiKeys } from './delete-api-keys.ts';

export const credentials: readonly ActivityKind[] = [createApiKeys, deleteApiKeys];
