import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const sending: Samples = {
  COUNTERSIGN_CANCEL_SEND: () => ({ sendTransactionStatusId: ID, reason: 'The recipient is wrong' }),
  COUNTERSIGN_SPEED_UP_SEND: () => ({ sendTransactionStatusId: ID, reason: 'The network is busy' }),
};
