import { monthOf, type Quota, quotaLevel } from '../../model/usage.ts';
import type { Reader, Writer } from '../../store/types.ts';

/** The quota as it is with the usage of the current month. */
export async function judged(read: Pick<Reader, 'usage'>, quota: Quota, now: number): Promise<Quota> {
  const [from, endsAt] = [monthOf(now), monthOf(now, 1)];
  const [month] = await read.usage.range(quota.organizationId, { width: 'MONTH', from, before: endsAt });
  const used = month?.signatures ?? 0;
  return { ...quota, used, level: quotaLevel(used, quota.signatures), endsAt };
}

const AT_ONCE = 100;

/** Judges every quota anew, after the service's time was set back. Otherwise a refusal could last until a month in the far future. */
export async function judgeAll(tx: Writer, now: number): Promise<void> {
  for (let after: string | undefined, more = true; more; ) {
    const quotas = await tx.allQuotas.page(AT_ONCE, after);
    for (const quota of quotas) await tx.quotas.put(await judged(tx, quota, now));
    after = quotas.at(-1)?.organizationId;
    more = quotas.length === AT_ONCE;
  }
}
