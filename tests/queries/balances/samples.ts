import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each query. */
export const balances: Samples = {
  get_wallet_address_balances: () => ({ address: `0x${'1'.repeat(40)}`, caip2: 'eip155:31337' }),
  list_eth_transaction_history: () => ({ address: `0x${'1'.repeat(40)}`, caip2: 'eip155:31337' }),
  list_sol_transaction_history: () => ({ address: '1'.repeat(32), caip2: 'solana:devnet' }),
  list_supported_assets: () => ({ caip2: 'eip155:31337' }),
};
