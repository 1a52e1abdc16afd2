import type { QuotaLevel, UsageWidth } from '../../model/usage.ts';
import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

/** Only the worker of usage adds to them. */
export const usageCounts = table('usage_counts', {
  organizationId: id(),
  width: text<UsageWidth>(),
  startsAt: int(),
  signatures: int(),
  sends: int(),
  messages: int(),
  completed: int(),
  failed: int(),
  rejected: int(),
});

export const quotas = table('quotas', {
  organizationId: id(),
  signatures: int(),
  used: int(),
  level: text<QuotaLevel>(),
  endsAt: int(),
  createdAt: int(),
  updatedAt: int(),
});

export const billingAccounts = table('billing_accounts', {
  organizationId: id(),
  paymentMethodId: text(),
  lastFour: text(),
  cardHolderName: text(),
  cardHolderEmail: text(),
  paymentEmail: text(),
  productId: text(),
  planId: text(),
  updatedAt: int(),
});
