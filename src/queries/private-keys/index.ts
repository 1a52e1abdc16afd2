import type { QueryKind } from '../../engine/query/declare.ts';
import { getPrivateKey } from './get-private-key.ts';
import { listPrivateKeys } from './list-private-keys.ts';

export const privateKeys: readonly QueryKind[] = [getPrivateKey, listPrivateKeys];
