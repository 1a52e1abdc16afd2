import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { offer } from '../../domain/tvc/provisioning.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

const FIELD = 'parameters.deploymentId';

export const restoreTvcDeployment = activity({
  kind: 'RESTORE_TVC_DEPLOYMENT',
  resource: 'TVC_DEPLOYMENT',
  action: 'UPDATE',
  summary: 'Restore a deleted deployment of an app that is not deleted, with its approvals',
  params: v1(z.object({ deploymentId: Id })),
  policyParams: { deployment_id: [STRING, ({ deploymentId }) => deploymentId] },
  result: { key: 'restoreTvcDeploymentResult', shape: z.object({ deploymentId: IdOut }) },
  errors: ['REQUEST_INVALID', tvcAppOf, tvcDeploymentOf],
  async execute({ ctx: { organization, store, now }, intent: { deploymentId } }) {
    const deployment = await tvcDeploymentOf(store, organization.id, deploymentId, FIELD);
    if (!deployment.deleted) throw invalid(FIELD, `names a deployment that is not deleted: ${deploymentId}`);
    const app = await tvcAppOf(store, organization.id, deployment.appId, 'the deployment');
    if (app.deleted) throw invalid(FIELD, `names a deployment of a deleted app: ${app.id}`);
    await store.tvcDeployments.replace({ ...deployment, deleted: false, updatedAt: now });
    if (deployment.approvedAt !== null) await offer(store, deployment, now);
    return { deploymentId };
  },
});
