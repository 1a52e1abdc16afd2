import { z } from 'zod';
import { showApps } from '../../domain/tvc/views.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id } from '../../wire/common.ts';
import { TvcApp } from '../../wire/tvc.ts';

export const listTvcApps = query({
  name: 'list_tvc_apps',
  summary: 'The organization’s verifiable apps in the order of their creation, with deleted ones',
  params: z.object({ organizationId: Id }),
  result: z.object({ tvcApps: z.array(TvcApp) }),
  errors: [],
  run: async (ctx) =>
    listing(
      {
        name: 'tvcApps',
        page: (page) => ctx.read.tvcApps.page(ctx.organization.id, page),
        show: (some) => showApps(ctx, some),
        rows: 10,
      },
      undefined,
    ),
});
