import type { QueryKind } from '../../engine/query/declare.ts';
import { listFreezes } from './list-freezes.ts';

export const freezes: readonly QueryKind[] = [listFreezes];
