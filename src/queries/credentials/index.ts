import type { QueryKind } from '../../engine/query/declare.ts';
import { getApiKeys } from './get-api-keys.ts';

export const credentials: readonly QueryKind[] = [getApiKeys];
