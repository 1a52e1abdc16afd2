import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { formatUsd } from '../../model/gas.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { Id } from '../../wire/common.ts';

export const getGasUsage = query({
  name: 'get_gas_usage',
  summary:
    'The cost of sponsored sends in the current rolling window, with reservations for pending sends, and the limit: for a top-level organization all sends, for a sub-organization its own',
  params: z.object({ organizationId: Id }),
  result: z.object({ windowDurationMinutes: z.int(), windowLimitUsd: z.string(), usageUsd: z.string() }),
  errors: [],
  async run({ organization, read, now }) {
    const config = await read.gas.config(topLevelIdOf(organization));
    if (config === undefined) return { windowDurationMinutes: 0, windowLimitUsd: formatUsd(0), usageUsd: formatUsd(0) };
    const isSub = organization.parentId !== null;
    return {
      windowDurationMinutes: config.windowMinutes,
      windowLimitUsd: formatUsd(isSub ? config.subOrgLimitMicroUsd : config.orgLimitMicroUsd),
      usageUsd: formatUsd(await read.gas.spent(organization.id, now, config.windowMinutes * 60_000)),
    };
  },
});
