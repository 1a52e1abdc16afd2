import type { QueryKind } from '../../engine/query/declare.ts';
import { getWalletAddressBalances } from './get-wallet-address-balances.ts';
import { listEthTransactionHistory } from './list-eth-transaction-history.ts';
import { listSolTransactionHistory } from './list-sol-transaction-history.ts';
import { listSupportedAssets } from './list-supported-assets.ts';

export const balances: readonly QueryKind[] = [
  getWalletAddressBalances,
  listEthTransactionHistory,
  listSolTransactionHistory,
  listSupportedAssets,
];
