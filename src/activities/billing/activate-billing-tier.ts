import { z } from 'zod';
import { accountOf } from '../../domain/billing/accounts.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ProductId } from '../../wire/billing.ts';

export const activateBillingTier = activity({
  kind: 'ACTIVATE_BILLING_TIER',
  resource: 'SUBSCRIPTION',
  action: 'CREATE',
  summary: 'Note the tier of the organization. It limits nothing: the operator sets quotas',
  submitters: { from: 'top-level' },
  params: v1(z.object({ productId: ProductId, orbPlanId: ProductId.optional() })),
  result: { key: 'activateBillingTierResult', shape: z.object({ productId: z.string() }) },
  errors: [],
  async execute({ ctx, intent: { productId, orbPlanId: planId = '' } }) {
    await ctx.store.billingAccounts.put({ ...(await accountOf(ctx)), productId, planId, updatedAt: ctx.now });
    return { productId };
  },
});
