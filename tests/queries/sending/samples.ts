import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each query. */
export const sending: Samples = {
  get_nonces: () => ({ address: `0x${'1'.repeat(40)}`, caip2: 'eip155:31337' }),
  get_send_transaction_status: () => ({ sendTransactionStatusId: ID }),
  list_sends: () => ({
    filterByStatus: ['BROADCASTING'],
    filterByCaip2: 'eip155:1',
    filterByFrom: `0x${'1'.repeat(40)}`,
    filterBySponsored: false,
    createdFromMs: '0',
    createdUntilMs: '2000000000000',
  }),
};
