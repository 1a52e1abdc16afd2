import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const quorumKeys: Samples = {
  get_tvc_deployment_provisioning_details: () => ({ deploymentId: ID }),
  list_tvc_quorum_keys: () => ({}),
};
