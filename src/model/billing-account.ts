/** How a top-level organization pays, and its tier. '' where nothing is set. It never has card data. */
export type BillingAccount = {
  organizationId: string;
  /** The payment processor's own name of the payment method. */
  paymentMethodId: string;
  lastFour: string;
  cardHolderName: string;
  cardHolderEmail: string;
  paymentEmail: string;
  productId: string;
  planId: string;
  updatedAt: number;
};

export const emptyAccount = (organizationId: string, updatedAt: number): BillingAccount => ({
  organizationId,
  paymentMethodId: '',
  lastFour: '',
  cardHolderName: '',
  cardHolderEmail: '',
  paymentEmail: '',
  productId: '',
  planId: '',
  updatedAt,
});
