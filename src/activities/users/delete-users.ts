import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireNotProxy } from '../../domain/people/auth-proxy.ts';
import { userNotFound } from '../../domain/people/user-by-id.ts';
import { activity, listOf, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteUsers = activity({
  kind: 'DELETE_USERS',
  resource: 'USER',
  action: 'DELETE',
  summary: 'Delete users with their credentials; immediately, their stamps are refused and their votes no longer count',
  params: v1(z.object({ userIds: z.array(Id).min(1, 'must name at least one user').max(100) })),
  policyParams: { user_ids: [listOf(STRING), ({ userIds }) => userIds] },
  result: { key: 'deleteUsersResult', shape: z.object({ userIds: z.array(IdOut) }) },
  errors: [requireNotProxy, userNotFound],
  async execute({ ctx, intent: { userIds } }) {
    const { organization, store, now } = ctx;
    for (const id of new Set(userIds)) {
      requireNotProxy(organization, id, 'parameters.userIds');
      if (organization.rootQuorum.userIds.includes(id))
        throw invalid('parameters.userIds', `quorum users missing: ${id} is a root user: remove it from the root quorum first`);
      if (!(await store.users.remove(organization.id, id, now))) throw userNotFound('parameters.userIds', id);
    }
    return { userIds };
  },
});
