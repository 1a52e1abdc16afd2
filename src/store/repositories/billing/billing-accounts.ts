import type { BillingAccount } from '../../../model/billing-account.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { billingAccounts } from '../../tables/billing.ts';

const get = statement((db, p: { org: string }) =>
  db.selectFrom('billing_accounts').select(billingAccounts.all).where('organization_id', '=', p.org),
);
const put = statement((db, p: BillingAccount) => {
  const row = values(billingAccounts, p);
  return db
    .insertInto('billing_accounts')
    .values(row)
    .onConflict((c) => c.column('organization_id').doUpdateSet(row));
});

export const billingAccountReads = (conn: Conn) => ({
  async get(org: string): Promise<BillingAccount | undefined> {
    return get.first(conn, { org });
  },
});

export const billingAccountWrites = (conn: Conn) => ({
  async put(account: BillingAccount): Promise<void> {
    await put.run(conn, account);
  },
});
