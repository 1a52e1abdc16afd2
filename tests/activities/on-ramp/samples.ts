import { buying, MOONPAY } from '../../support/on-ramp.ts';
import { ID, type Samples } from '../../support/samples.ts';

const credential = { onrampProvider: MOONPAY, publishableApiKey: 'pk_test', encryptedSecretApiKey: '5LyWQqNXa17ReShrxzq9' };

/** Well-formed parameters of each operation's newest version. */
export const onRamp: Samples = {
  CREATE_FIAT_ON_RAMP_CREDENTIAL: () => credential,
  DELETE_FIAT_ON_RAMP_CREDENTIAL: () => ({ fiatOnrampCredentialId: ID }),
  INIT_FIAT_ON_RAMP: () => buying(MOONPAY),
  UPDATE_FIAT_ON_RAMP_CREDENTIAL: () => ({ fiatOnrampCredentialId: ID, ...credential }),
};
