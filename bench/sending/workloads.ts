/** The sent transfers. Each has its own value: 1, 2, 3, … wei, so that the sum shows that each landed once. */
import type { Workload } from '../types.ts';

export const CAIP2 = 'eip155:31337';
export const RECIPIENT = `0x${'cd'.repeat(20)}` as const;

/** Gas and fees as a caller may give them. */
export const GIVEN_FEES = { gasLimit: '21000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000' };

const transfer = (from: string, index: number) => ({ from, caip2: CAIP2, to: RECIPIENT, value: String(index + 1) });

const SEND: Omit<Workload, 'name' | 'parameters'> = {
  path: '/public/v1/submit/eth_send_transaction',
  type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION',
  account: {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  },
  someAddress: RECIPIENT,
  work: 'secp256k1',
  rate: 2500,
  warmup: 500,
};

export const GIVEN: Workload = {
  ...SEND,
  name: 'eth_send_transaction/given',
  parameters: (from, index) => ({ ...transfer(from, index), ...GIVEN_FEES }),
};

export const FILLED: Workload = { ...SEND, name: 'eth_send_transaction/filled', parameters: transfer };
