import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { User as UserModel } from '../../model/user.ts';
import type { Page } from '../../store/types.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { User, viewUser } from '../../wire/users.ts';

export const listUsers = query({
  name: 'list_users',
  summary: 'Users of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ users: z.array(User) }),
  errors: [],
  async run({ organization, read }, { paginationOptions }) {
    async function show(users: readonly UserModel[]) {
      const [first, last] = [users.at(0), users.at(-1)];
      if (first === undefined || last === undefined) return [];
      const ids = users.map(({ id }) => id);
      const [credentials, tags] = await Promise.all([
        read.credentials.ofUsers(organization.id, first.id, last.id),
        read.tags.ofMembers(organization.id, ids),
      ]);
      return users.map((user) => viewUser(user, credentials.get(user.id) ?? [], tags.get(user.id) ?? []));
    }
    const page = (page: Page) => read.users.page(organization.id, page);
    return listing({ name: 'users', page, show }, paginationOptions);
  },
});
