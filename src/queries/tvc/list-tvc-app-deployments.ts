import { z } from 'zod';
import { tvcAppOf } from '../../domain/tvc/apps.ts';
import { setsOf, showDeployments } from '../../domain/tvc/views.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { TvcDeployment } from '../../wire/tvc.ts';

export const listTvcAppDeployments = query({
  name: 'list_tvc_app_deployments',
  summary: 'Deployments of a verifiable app in the order of their creation, with manifests, approvals and deleted ones',
  params: z.object({ organizationId: Id, appId: Id }),
  result: z.object({ tvcDeployments: z.array(TvcDeployment) }),
  errors: ['NOT_FOUND'],
  async run(ctx, { appId }) {
    const { organization, read } = ctx;
    const sets = await setsOf(read, await tvcAppOf(read, organization.id, appId, 'appId'));
    return listing(
      {
        name: 'tvcDeployments',
        page: (page) => read.tvcDeployments.pageOfApp(organization.id, appId, page),
        show: (some) => showDeployments(ctx, sets, some),
        rows: 5,
      },
      undefined,
    );
  },
});
