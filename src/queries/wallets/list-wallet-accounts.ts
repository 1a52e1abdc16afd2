import { z } from 'zod';
import { addressFormat } from '../../chains/index.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { viewAccount, WalletAccount } from '../../wire/wallets.ts';

export const listWalletAccounts = query({
  name: 'list_wallet_accounts',
  summary: 'Wallet accounts of the organization, or of one wallet, in the order of their creation',
  params: z.object({
    organizationId: Id,
    walletId: Id.optional(),
    includeWalletDetails: z.boolean().optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ accounts: z.array(WalletAccount) }),
  errors: [],
  async run({ organization, read }, { walletId, includeWalletDetails, paginationOptions }) {
    const accounts = await read.wallets.accounts(organization.id, walletId, pageOf(paginationOptions));
    const named = includeWalletDetails ? [...new Set(accounts.map((account) => account.walletId))] : [];
    const wallets = new Map((await read.wallets.byIds(organization.id, named)).map((wallet) => [wallet.id, wallet]));
    return {
      accounts: accounts.map((account) =>
        viewAccount(account, addressFormat(account.addressFormat)?.caip2Prefix, wallets.get(account.walletId)),
      ),
    };
  },
});
