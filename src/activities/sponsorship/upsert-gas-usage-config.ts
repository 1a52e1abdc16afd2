import { z } from 'zod';
import { setGasConfig } from '../../domain/sends/gas-config.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { Usd, WindowMinutes } from '../../wire/gas.ts';

export const upsertGasUsageConfig = activity({
  kind: 'UPSERT_GAS_USAGE_CONFIG',
  resource: 'SPONSORSHIP',
  action: 'UPDATE',
  summary: 'Enable or disable gas sponsorship for the organization and its sub-organizations, with limits in a rolling window',
  submitters: { from: 'top-level' },
  params: v1(
    z.object({
      orgWindowLimitUsd: Usd,
      subOrgWindowLimitUsd: Usd,
      windowDurationMinutes: WindowMinutes,
      enabled: z.boolean().optional(),
      solanaConfig: z.object({ rentPrefundEnabled: z.boolean().optional() }).optional(),
    }),
  ),
  result: { key: 'upsertGasUsageConfigResult', shape: z.object({ gasUsageConfigId: IdOut }) },
  errors: ['REQUEST_INVALID'],
  async execute({ ctx, intent }) {
    return { gasUsageConfigId: await setGasConfig(ctx, intent) };
  },
});
