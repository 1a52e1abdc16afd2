import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { formatUsd } from '../../model/gas.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { Id } from '../../wire/common.ts';

export const getGasUsage = query({
  name: 'get_gas_usage',
  summary:
    'What sponsored sends cost in the rolling window that ends now, with what is reserved for those under way, and the limit: of a top-level organization all, of a sub-organization its own',
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
