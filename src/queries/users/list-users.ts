import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import type { Credential } from '../../model/user.ts';
import { Id } from '../../wire/common.ts';
import { User, viewUser } from '../../wire/users.ts';

export const listUsers = query({
  name: 'list_users',
  summary: 'All users of the organization',
  params: z.object({ organizationId: Id }),
  result: z.object({ users: z.array(User) }),
  errors: [],
  async run({ organization, read }) {
    const [users, credentials, tags] = await Promise.all([
      read.users.list(organization.id),
      read.credentials.list(organization.id),
      read.tags.byMember(organization.id),
    ]);
    const byUser = Map.groupBy(credentials, (c: Credential) => c.userId);
    return { users: users.map((user) => viewUser(user, byUser.get(user.id) ?? [], tags.get(user.id) ?? [])) };
  },
});
