import { monthOf, type Quota, quotaLevel } from '../../model/usage.ts';
import type { Reader } from '../../store/types.ts';

/** The quota as it is with the usage of the current month. */
export async function judged(read: Pick<Reader, 'usage'>, quota: Quota, now: number): Promise<Quota> {
  const [from, endsAt] = [monthOf(now), monthOf(now, 1)];
  const [month] = await read.usage.range(quota.organizationId, { width: 'MONTH', from, before: endsAt });
  const used = month?.signatures ?? 0;
  return { ...quota, used, level: quotaLevel(used, quota.signatures), endsAt };
}
