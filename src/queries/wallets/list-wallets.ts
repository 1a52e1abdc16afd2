import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { viewWallet, Wallet } from '../../wire/wallets.ts';

export const listWallets = query({
  name: 'list_wallets',
  summary: 'All wallets of the organization',
  params: z.object({ organizationId: Id }),
  result: z.object({ wallets: z.array(Wallet) }),
  errors: [],
  async run({ organization, read }) {
    return { wallets: (await read.wallets.list(organization.id)).map(viewWallet) };
  },
});
