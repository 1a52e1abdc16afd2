import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { tvcAppOf } from '../../domain/tvc/apps.ts';
import { query } from '../../engine/query/declare.ts';
import { among } from '../../engine/query/listing.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

const DeploymentStatus = z.object({
  deploymentId: IdOut,
  readyReplicas: z.int(),
  desiredReplicas: z.int(),
  lastUpdatedTime: Timestamp,
});

export const getAppStatus = query({
  name: 'get_app_status',
  summary: 'What runs of a verifiable app, by deployment in the order of their creation; the targeted one is live',
  params: z.object({ organizationId: Id, appId: Id }),
  result: z.object({
    appStatus: z.object({ appId: IdOut, deployments: z.array(DeploymentStatus), targetedDeploymentId: z.string() }),
  }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { appId }) {
    const { liveDeploymentId } = await tvcAppOf(read, organization.id, appId, 'appId');
    const deployments = among({
      name: 'deployments',
      page: (page) => read.tvcDeployments.statesOfApp(organization.id, appId, page),
      show: (some) =>
        some.map(({ id, deleted, updatedAt }) => ({
          deploymentId: id,
          readyReplicas: 0,
          desiredReplicas: deleted ? 0 : 1,
          lastUpdatedTime: wireTimestamp(updatedAt),
        })),
    });
    return { member: 'appStatus', fields: { appId, targetedDeploymentId: liveDeploymentId ?? '' }, lists: [deployments] };
  },
});
