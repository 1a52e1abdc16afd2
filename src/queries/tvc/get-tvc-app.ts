import { z } from 'zod';
import { tvcAppOf } from '../../domain/tvc/apps.ts';
import { showApps } from '../../domain/tvc/views.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { TvcApp } from '../../wire/tvc.ts';

export const getTvcApp = query({
  name: 'get_tvc_app',
  summary: 'One verifiable app with its operators',
  params: z.object({ organizationId: Id, tvcAppId: Id }),
  result: z.object({ tvcApp: TvcApp }),
  errors: ['NOT_FOUND'],
  async run(ctx, { tvcAppId }) {
    const [tvcApp] = await showApps(ctx, [await tvcAppOf(ctx.read, ctx.organization.id, tvcAppId, 'tvcAppId')]);
    return { tvcApp: tvcApp! };
  },
});
