import { z } from 'zod';
import { accountOf } from '../../domain/billing/accounts.ts';
import { emailOf } from '../../domain/people/contacts.ts';
import { activity } from '../../engine/activity/declare.ts';
import { since } from '../../engine/activity/versions.ts';
import { BillingEmail, CardHolderName, onlyMembers, PaymentMethodId } from '../../wire/billing.ts';

/** The first version carries card data. */
export const setPaymentMethod = activity({
  kind: 'SET_PAYMENT_METHOD',
  resource: 'PAYMENT_METHOD',
  action: 'UPDATE',
  summary: 'Set how the organization pays, by the id that the payment processor gave its page. Card data is never accepted',
  submitters: { from: 'top-level' },
  exactly: onlyMembers('SET_PAYMENT_METHOD_V2', 'paymentMethodId', 'cardHolderEmail', 'cardHolderName'),
  params: since(2, z.object({ paymentMethodId: PaymentMethodId, cardHolderEmail: BillingEmail, cardHolderName: CardHolderName })),
  result: {
    key: 'setPaymentMethodResult',
    shape: z.object({ lastFour: z.string(), cardHolderName: z.string(), cardHolderEmail: z.string() }),
  },
  errors: [emailOf],
  check: ({ intent: { cardHolderEmail } }) => void emailOf(cardHolderEmail, 'parameters.cardHolderEmail'),
  prepare: ({ ctx, intent: { paymentMethodId } }) => ctx.billing.lastFourOf(paymentMethodId),
  async execute({ ctx, intent: { paymentMethodId, cardHolderName, cardHolderEmail: email }, prepared: lastFour }) {
    const cardHolderEmail = emailOf(email, 'parameters.cardHolderEmail');
    const paid = { paymentMethodId, lastFour, cardHolderName, cardHolderEmail, paymentEmail: cardHolderEmail };
    await ctx.store.billingAccounts.put({ ...(await accountOf(ctx)), ...paid, updatedAt: ctx.now });
    return { lastFour, cardHolderName, cardHolderEmail };
  },
});
