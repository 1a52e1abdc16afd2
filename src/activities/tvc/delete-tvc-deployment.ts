import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireKept, tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { withdraw } from '../../domain/tvc/provisioning.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

const FIELD = 'parameters.deploymentId';

export const deleteTvcDeployment = activity({
  kind: 'DELETE_TVC_DEPLOYMENT',
  resource: 'TVC_DEPLOYMENT',
  action: 'DELETE',
  summary: 'Mark a deployment that is not live as deleted: it stays listed, and can be restored',
  params: v1(z.object({ deploymentId: Id })),
  policyParams: { deployment_id: [STRING, ({ deploymentId }) => deploymentId] },
  result: { key: 'deleteTvcDeploymentResult', shape: z.object({ deploymentId: IdOut }) },
  errors: ['REQUEST_INVALID', requireKept, tvcAppOf, tvcDeploymentOf],
  async execute({ ctx: { organization, store, now }, intent: { deploymentId } }) {
    const deployment = await tvcDeploymentOf(store, organization.id, deploymentId, FIELD);
    requireKept(deployment, FIELD);
    const app = await tvcAppOf(store, organization.id, deployment.appId, 'the deployment');
    if (app.liveDeploymentId === deploymentId) throw invalid(FIELD, 'names the live deployment: make another one live first');
    await store.tvcDeployments.replace({ ...deployment, deleted: true, updatedAt: now });
    await withdraw(store, organization.id, deploymentId);
    return { deploymentId };
  },
});
