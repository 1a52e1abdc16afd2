import { z } from 'zod';
import type { Organization } from '../model/organization.ts';
import { IdOut } from './common.ts';

/** `takesEffectAtMs`: absent until the service has told the root users, which begins the delay. */
const Pending = z.object({
  activityId: IdOut,
  userId: IdOut,
  startedAtMs: z.string(),
  takesEffectAtMs: z.string().optional(),
});

/** What users see of recoveries by the operator. */
export const RootRecoveryOut = z.object({ refused: z.boolean(), pending: Pending.optional() });

export function viewRootRecovery({ rootRecovery }: Organization): z.output<typeof RootRecoveryOut> | undefined {
  if (rootRecovery === null) return undefined;
  const { refused, pending } = rootRecovery;
  if (pending === null) return { refused };
  const { activityId, userId, startedAt, effectiveAt } = pending;
  const takesEffectAtMs = effectiveAt === null ? undefined : String(effectiveAt);
  return { refused, pending: { activityId, userId, startedAtMs: String(startedAt), takesEffectAtMs } };
}
