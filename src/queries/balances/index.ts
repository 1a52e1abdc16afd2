import type { QueryKind } from '../../engine/query/declare.ts';
import { getWalletAddressBalances } from './get-wallet-address-balances.ts';
import { listSupportedAssets } from './list-supported-assets.ts';

export const balances: readonly QueryKind[] = [getWalletAddressBalances, listSupportedAssets];
