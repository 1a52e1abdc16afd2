import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireKept, tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { requireHealthy } from '../../domain/tvc/provisioning.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';

const FIELD = 'parameters.deploymentId';

export const updateTvcAppLiveDeployment = activity({
  kind: 'UPDATE_TVC_APP_LIVE_DEPLOYMENT',
  path: 'set_tvc_app_live_deployment',
  resource: 'TVC_APP',
  action: 'UPDATE',
  summary: 'Make an approved deployment the live one of its app',
  params: v1(z.object({ deploymentId: Id })),
  policyParams: { deployment_id: [STRING, ({ deploymentId }) => deploymentId] },
  result: { key: 'updateTvcAppLiveDeploymentResult', shape: z.object({}) },
  errors: [requireHealthy, requireKept, tvcAppOf, tvcDeploymentOf],
  async execute({ ctx: { organization, store, now }, intent: { deploymentId } }) {
    const deployment = await tvcDeploymentOf(store, organization.id, deploymentId, FIELD);
    requireKept(deployment, FIELD);
    if (deployment.approvedAt === null) throw invalid(FIELD, 'names a deployment with too few approvals of its manifest');
    await requireHealthy(store, deployment, now, FIELD);
    const app = await tvcAppOf(store, organization.id, deployment.appId, 'the deployment');
    await store.tvcApps.replace({ ...app, liveDeploymentId: deploymentId, updatedAt: now });
    return {};
  },
});
