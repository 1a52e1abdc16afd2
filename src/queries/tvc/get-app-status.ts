import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { tvcAppOf } from '../../domain/tvc/apps.ts';
import { query } from '../../engine/query/declare.ts';
import { among } from '../../engine/query/listing.ts';
import { provisionedNow } from '../../model/tvc/provisioning.ts';
import { Id, IdOut, Timestamp } from '../../wire/common.ts';

const DeploymentStatus = z.object({
  deploymentId: IdOut,
  readyReplicas: z.int(),
  desiredReplicas: z.int(),
  lastUpdatedTime: Timestamp,
  provisioningState: z.string(),
  /** Ours: why it does not start, or not run. */
  problem: z.string().optional(),
});

export const getAppStatus = query({
  name: 'get_app_status',
  summary: 'What runs of a verifiable app, by deployment in the order of their creation; the targeted one is live',
  params: z.object({ organizationId: Id, appId: Id }),
  result: z.object({
    appStatus: z.object({ appId: IdOut, deployments: z.array(DeploymentStatus), targetedDeploymentId: z.string() }),
  }),
  errors: ['NOT_FOUND'],
  async run({ organization, read, now }, { appId }) {
    const { liveDeploymentId } = await tvcAppOf(read, organization.id, appId, 'appId');
    const running = new Map((await read.tvcProvisionings.ofApp(organization.id, appId)).map((one) => [one.deploymentId, one]));
    const deployments = among({
      name: 'deployments',
      page: (page) => read.tvcDeployments.statesOfApp(organization.id, appId, page),
      show: (some) =>
        some.map(({ id, deleted, updatedAt }) => {
          const stored = running.get(id);
          const present = provisionedNow(stored, now);
          return {
            deploymentId: id,
            readyReplicas: present?.isReady ? 1 : 0,
            desiredReplicas: deleted ? 0 : 1,
            lastUpdatedTime: wireTimestamp(Math.max(updatedAt, stored?.updatedAt ?? 0)),
            provisioningState: present?.state ?? 'PROVISIONING_STATE_PENDING',
            ...(present?.problem ? { problem: present.problem } : {}),
          };
        }),
    });
    return { member: 'appStatus', fields: { appId, targetedDeploymentId: liveDeploymentId ?? '' }, lists: [deployments] };
  },
});
