import { ID, type Samples, TARGET } from '../../support/samples.ts';
import { deploymentOf } from './support.ts';

const setOf = (threshold: number) => ({
  name: 'Set',
  newOperators: [{ name: 'Operator', publicKey: TARGET + TARGET }],
  existingOperatorIds: [ID],
  threshold,
});

/** Well-formed parameters of each operation's newest version. */
export const tvc: Samples = {
  CREATE_TVC_APP: () => ({
    name: 'App',
    quorumPublicKey: TARGET + TARGET,
    manifestSetParams: setOf(1),
    shareSetParams: setOf(2),
  }),
  CREATE_TVC_DEPLOYMENT: () => deploymentOf(ID),
  CREATE_TVC_MANIFEST_APPROVALS: () => ({ manifestId: ID, approvals: [{ operatorId: ID, signature: '00'.repeat(64) }] }),
  UPDATE_TVC_APP_LIVE_DEPLOYMENT: () => ({ deploymentId: ID }),
  DELETE_TVC_DEPLOYMENT: () => ({ deploymentId: ID }),
  RESTORE_TVC_DEPLOYMENT: () => ({ deploymentId: ID }),
  DELETE_TVC_APP_AND_DEPLOYMENTS: () => ({ appId: ID }),
};
