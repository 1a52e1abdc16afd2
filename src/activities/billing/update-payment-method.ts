import { z } from 'zod';
import { payingAccount } from '../../domain/billing/accounts.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { BillingEmail, onlyMembers } from '../../wire/billing.ts';

export const updatePaymentMethod = activity({
  kind: 'UPDATE_PAYMENT_METHOD',
  resource: 'PAYMENT_METHOD',
  action: 'UPDATE',
  summary: 'Change the email address for invoices of the payment method',
  submitters: { from: 'top-level' },
  exactly: onlyMembers('UPDATE_PAYMENT_METHOD', 'paymentEmail'),
  params: v1(z.object({ paymentEmail: BillingEmail })),
  result: { key: 'updatePaymentMethodResult', shape: z.object({ paymentEmail: z.string() }) },
  errors: [emailOf, payingAccount],
  check: ({ intent }) => void emailOf(intent.paymentEmail, 'parameters.paymentEmail'),
  async execute({ ctx, intent }) {
    const paymentEmail = emailOf(intent.paymentEmail, 'parameters.paymentEmail');
    await ctx.store.billingAccounts.put({ ...(await payingAccount(ctx)), paymentEmail, updatedAt: ctx.now });
    return { paymentEmail };
  },
});
