import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { viewWallet, Wallet } from '../../wire/wallets.ts';

export const listWallets = query({
  name: 'list_wallets',
  summary: 'Wallets of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ wallets: z.array(Wallet) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      { name: 'wallets', page: (page) => read.wallets.page(organization.id, page), show: (some) => some.map(viewWallet) },
      paginationOptions,
    ),
});
