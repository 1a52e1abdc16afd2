import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';

export const updateOrganizationName = activity({
  kind: 'UPDATE_ORGANIZATION_NAME',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Rename the organization',
  params: v1(z.object({ organizationName: Label })),
  result: { key: 'updateOrganizationNameResult', shape: z.object({ organizationId: IdOut, organizationName: z.string() }) },
  errors: [],
  async execute({ ctx, intent: { organizationName } }) {
    await ctx.store.organizations.change(ctx.organization.id, { name: organizationName }, ctx.now);
    return { organizationId: ctx.organization.id, organizationName };
  },
});
