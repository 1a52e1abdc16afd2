import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const onRamp: Samples = {
  get_onramp_transaction_status: () => ({ transactionId: ID }),
  list_fiat_on_ramp_credentials: () => ({}),
};
