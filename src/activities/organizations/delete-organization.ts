import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireNoneFrozen } from '../../domain/keys/frozen.ts';
import { requireExported } from '../../domain/people/deletions.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { ROOT_ORGANIZATION } from '../../model/organization.ts';
import { Id, IdOut } from '../../wire/common.ts';

const FIELD = 'parameters.organizationId';

export const deleteOrganization = activity({
  kind: 'DELETE_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'DELETE',
  summary: 'Delete the organization of the request, with its users, credentials and keys; refused while it has sub-organizations',
  submitters: { from: 'top-level', rootUsersOnly: true },
  params: v1(z.object({ organizationId: Id })),
  result: { key: 'deleteOrganizationResult', shape: z.object({ organizationId: IdOut }) },
  errors: [requireNoneFrozen, requireExported],
  async execute({ ctx, intent: { organizationId } }) {
    const { organization, store, now } = ctx;
    if (organizationId !== organization.id)
      throw invalid(FIELD, 'must be the organization of the request: no organization deletes another');
    if ((await store.instance.get(ROOT_ORGANIZATION)) === organization.id)
      throw invalid(FIELD, 'is the first organization of this service, which cannot be deleted');
    const [sub] = await store.organizations.subOrganizationIds(organization.id, undefined, { limit: 1 });
    if (sub !== undefined) throw invalid(FIELD, `has sub-organizations, such as ${sub}: delete them first`);
    await requireNoneFrozen(store, organization.id);
    await requireExported(ctx, FIELD, 'delete it with deleteWithoutExport: true');
    await store.deletedOrganizations.add(organization.id, now);
    return { organizationId };
  },
});
