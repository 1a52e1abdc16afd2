import type { ActivityKind } from '../../engine/activity/declare.ts';
import { upsertGasUsageConfig } from './upsert-gas-usage-config.ts';

export const sponsorship: readonly ActivityKind[] = [upsertGasUsageConfig];
