import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { addressFormat, addressForms } from '../../chains/index.ts';
import { plainPath } from '../../crypto/derivation.ts';
import { query } from '../../engine/query/declare.ts';
import type { Reader } from '../../store/types.ts';
import { Id } from '../../wire/common.ts';
import { viewAccount, WalletAccount } from '../../wire/wallets.ts';

/** The address may have any form, as in signing. */
async function accountAt(read: Reader, organizationId: string, walletId: string, address: string) {
  for (const form of addressForms(address)) {
    const account = await read.wallets.accountByAddress(organizationId, walletId, form);
    if (account) return account;
  }
  return undefined;
}

export const getWalletAccount = query({
  name: 'get_wallet_account',
  summary: 'One account of a wallet, by its address or its path',
  params: z.object({
    organizationId: Id,
    walletId: Id,
    address: z.string().max(256).optional(),
    path: z.string().max(256).optional(),
  }),
  result: z.object({ account: WalletAccount }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID'],
  async run({ organization, read }, params) {
    // As elsewhere in these requests, an empty text counts as absent.
    const address = params.address || undefined;
    const path = params.path ? plainPath(params.path) : undefined;
    const { walletId } = params;
    if (address === undefined && path === undefined)
      throw invalid('address', 'name the account by its address, its path, or both');
    const account =
      address === undefined
        ? await read.wallets.accountByPath(organization.id, walletId, path!)
        : await accountAt(read, organization.id, walletId, address);
    if (account === undefined || (path !== undefined && account.path !== path)) {
      const where = [address, path].filter((part) => part !== undefined).join(' and ');
      throw new ApiError('NOT_FOUND', `wallet account not found: wallet ${walletId} has no account at ${where}`);
    }
    return { account: viewAccount(account, addressFormat(account.addressFormat)?.caip2Prefix) };
  },
});
