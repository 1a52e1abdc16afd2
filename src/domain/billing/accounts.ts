import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { type BillingAccount, emptyAccount } from '../../model/billing-account.ts';

type Context = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'now'>;

/** What the organization has set so far. */
export async function accountOf({ store, organization, now }: Context): Promise<BillingAccount> {
  return (await store.billingAccounts.get(organization.id)) ?? emptyAccount(organization.id, now);
}

/** The same, with a payment method. Throws NOT_FOUND. */
export async function payingAccount(ctx: Context): Promise<BillingAccount> {
  const account = await accountOf(ctx);
  if (account.paymentMethodId === '') throw new ApiError('NOT_FOUND', 'the organization has no payment method');
  return account;
}
payingAccount.errors = errorsOf('NOT_FOUND');
