import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireNoneFrozen } from '../../domain/keys/frozen.ts';
import { requireExported } from '../../domain/people/deletions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { WithoutExport } from '../../wire/exports.ts';

const FIELD = 'parameters.deleteWithoutExport';

export const deleteSubOrganization = activity({
  kind: 'DELETE_SUB_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'DELETE',
  summary: 'Delete the sub-organization of the request, with its users, credentials and keys; its activities stay',
  submitters: { rootUsersOnly: true },
  params: v1(z.object({ deleteWithoutExport: WithoutExport })),
  result: { key: 'deleteSubOrganizationResult', shape: z.object({ subOrganizationUuid: IdOut }) },
  errors: [requireNoneFrozen, requireExported],
  async execute({ ctx, intent: { deleteWithoutExport = false } }) {
    const { organization, store, now } = ctx;
    if (organization.parentId === null)
      throw invalid('organizationId', 'must be a sub-organization: DELETE_ORGANIZATION deletes top-level organizations');
    await requireNoneFrozen(store, organization.id);
    if (!deleteWithoutExport) await requireExported(ctx, FIELD, 'send deleteWithoutExport: true');
    await store.deletedOrganizations.add(organization.id, now);
    return { subOrganizationUuid: organization.id };
  },
});
