import type { QueryKind } from '../../engine/query/declare.ts';
import { getUsage } from './get-usage.ts';

export const billing: readonly QueryKind[] = [getUsage];
