import { z } from 'zod';
import { tvcAppOf, tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { setsOf, showDeployments } from '../../domain/tvc/views.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { TvcDeployment } from '../../wire/tvc.ts';

export const getTvcDeployment = query({
  name: 'get_tvc_deployment',
  summary: 'One deployment of a verifiable app, with its manifest and approvals',
  params: z.object({ organizationId: Id, deploymentId: Id }),
  result: z.object({ tvcDeployment: TvcDeployment }),
  errors: ['NOT_FOUND'],
  async run(ctx, { deploymentId }) {
    const { organization, read } = ctx;
    const deployment = await tvcDeploymentOf(read, organization.id, deploymentId, 'deploymentId');
    const app = await tvcAppOf(read, organization.id, deployment.appId, 'the deployment');
    const [tvcDeployment] = await showDeployments(ctx, await setsOf(read, app), [deployment]);
    return { tvcDeployment: tvcDeployment! };
  },
});
