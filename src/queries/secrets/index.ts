import type { QueryKind } from '../../engine/query/declare.ts';
import { listSecrets } from './list-secrets.ts';

export const secrets: readonly QueryKind[] = [listSecrets];
