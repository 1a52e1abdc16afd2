import { z } from 'zod';
import { keptTvcAppOf } from '../../domain/tvc/apps.ts';
import { withdrawApp } from '../../domain/tvc/provisioning.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteTvcAppAndDeployments = activity({
  kind: 'DELETE_TVC_APP_AND_DEPLOYMENTS',
  resource: 'TVC_APP',
  action: 'DELETE',
  summary: 'Mark an app and all its deployments as deleted for good: they stay listed',
  params: v1(z.object({ appId: Id })),
  policyParams: { app_id: [STRING, ({ appId }) => appId] },
  result: { key: 'deleteTvcAppAndDeploymentsResult', shape: z.object({ appId: IdOut }) },
  errors: [keptTvcAppOf],
  async execute({ ctx: { organization, store, now }, intent: { appId } }) {
    const app = await keptTvcAppOf(store, organization.id, appId, 'parameters.appId');
    await store.tvcApps.replace({ ...app, liveDeploymentId: null, deleted: true, updatedAt: now });
    await store.tvcDeployments.deleteOfApp(organization.id, appId, now);
    await withdrawApp(store, organization.id, appId);
    return { appId };
  },
});
