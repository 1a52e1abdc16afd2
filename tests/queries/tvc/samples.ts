import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const tvc: Samples = {
  list_tvc_apps: () => ({}),
  get_tvc_app: () => ({ tvcAppId: ID }),
  list_tvc_app_deployments: () => ({ appId: ID }),
  get_tvc_deployment: () => ({ deploymentId: ID }),
  get_app_status: () => ({ appId: ID }),
  get_tvc_qos_versions: () => ({}),
  get_tvc_deployment_debug_logs: () => ({ deploymentId: ID, tailLines: 10, sinceSeconds: '60' }),
  list_tvc_operators: () => ({}),
  validate_tvc_image: () => ({ pivotContainerImageUrl: '127.0.0.1:9/team/app' }),
};
