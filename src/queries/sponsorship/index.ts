import type { QueryKind } from '../../engine/query/declare.ts';
import { getGasUsage } from './get-gas-usage.ts';

export const sponsorship: readonly QueryKind[] = [getGasUsage];
