import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { payingAccount } from '../../domain/billing/accounts.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { emptyAccount } from '../../model/billing-account.ts';
import { onlyMembers, PaymentMethodId } from '../../wire/billing.ts';

export const deletePaymentMethod = activity({
  kind: 'DELETE_PAYMENT_METHOD',
  resource: 'PAYMENT_METHOD',
  action: 'DELETE',
  summary: 'Remove the payment method of the organization; its tier stays',
  submitters: { from: 'top-level' },
  exactly: onlyMembers('DELETE_PAYMENT_METHOD', 'paymentMethodId'),
  params: v1(z.object({ paymentMethodId: PaymentMethodId })),
  result: { key: 'deletePaymentMethodResult', shape: z.object({ paymentMethodId: z.string() }) },
  errors: [payingAccount],
  async execute({ ctx, intent: { paymentMethodId } }) {
    const { paymentMethodId: current, productId, planId } = await payingAccount(ctx);
    if (current !== paymentMethodId) throw new ApiError('NOT_FOUND', 'the organization has another payment method');
    await ctx.store.billingAccounts.put({ ...emptyAccount(ctx.organization.id, ctx.now), productId, planId });
    return { paymentMethodId };
  },
});
