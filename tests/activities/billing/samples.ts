import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const billing: Samples = {
  ACTIVATE_BILLING_TIER: () => ({ productId: 'PRODUCT_TYPE_PRO', orbPlanId: 'plan_1' }),
  DELETE_PAYMENT_METHOD: () => ({ paymentMethodId: 'pm_1AbcDef' }),
  SET_PAYMENT_METHOD: () => ({
    paymentMethodId: 'pm_1AbcDef',
    cardHolderEmail: 'holder@example.com',
    cardHolderName: 'Card Holder',
  }),
  UPDATE_PAYMENT_METHOD: () => ({ paymentEmail: 'invoices@example.com' }),
};
