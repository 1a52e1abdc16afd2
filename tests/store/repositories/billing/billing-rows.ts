import { emptyAccount } from '../../../../src/model/billing-account.ts';
import { NO_USAGE, type Quota, type UsageCount } from '../../../../src/model/usage.ts';
import { NOW } from '../../names.ts';

export const usageCountOf = (organizationId: string, given: Partial<UsageCount> = {}): UsageCount => ({
  organizationId,
  width: 'DAY',
  startsAt: 0,
  ...NO_USAGE,
  signatures: 3,
  completed: 2,
  ...given,
});

export const quotaOf = (organizationId: string, given: Partial<Quota> = {}): Quota => ({
  organizationId,
  signatures: 10,
  used: 0,
  level: '',
  endsAt: NOW + 1,
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

export const billingAccountOf = (organizationId: string) => ({
  ...emptyAccount(organizationId, NOW),
  paymentMethodId: 'pm_1',
  productId: 'PRODUCT_TYPE_PRO',
});
