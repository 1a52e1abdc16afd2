import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const quorumKeys: Samples = {
  CREATE_TVC_OPERATOR: () => ({ path: 'sample', operatorName: 'Sample' }),
  CREATE_TVC_QUORUM_KEY: () => ({ threshold: 1, operatorEncryptKeys: ['sample'] }),
  POST_TVC_QUORUM_KEY_SHARE: () => ({
    deploymentId: ID,
    ephemeralPublicKeyHex: 'sample',
    shareApprovalBundle: { operatorId: ID, reEncryptedShareHex: 'sample', signature: 'sample' },
  }),
  RE_ENCRYPT_TVC_QUORUM_KEY_SHARE: () => ({
    attestationDocB64: 'sample',
    manifestB64: 'sample',
    operatorEncryptKey: 'sample',
    operatorSignKey: 'sample',
    deploymentId: ID,
    appQuorumKey: 'sample',
  }),
};
