import { ID, type Samples, TARGET } from '../../support/samples.ts';
import { BASE_PATH } from './support.ts';

/** Well-formed parameters of each operation's newest version. */
export const quorumKeys: Samples = {
  CREATE_TVC_OPERATOR: () => ({ walletName: 'Operators', path: BASE_PATH, operatorName: 'Operator' }),
  CREATE_TVC_QUORUM_KEY: () => ({ threshold: 2, operatorEncryptKeys: [TARGET, `${TARGET.slice(0, -2)}00`] }),
  POST_TVC_QUORUM_KEY_SHARE: () => ({
    deploymentId: ID,
    ephemeralPublicKeyHex: TARGET + TARGET,
    shareApprovalBundle: {
      operatorId: ID,
      reEncryptedShareHex: `${'00'.repeat(77)}31000000${'00'.repeat(49)}`,
      signature: '00'.repeat(64),
    },
  }),
  RE_ENCRYPT_TVC_QUORUM_KEY_SHARE: () => ({
    attestationDocB64: 'AA==',
    manifestB64: 'AA==',
    operatorEncryptKey: TARGET,
    operatorSignKey: TARGET,
    deploymentId: ID,
    appQuorumKey: TARGET + TARGET,
  }),
};
