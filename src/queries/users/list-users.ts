import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { UserVersion } from '../../model/user.ts';
import type { Page } from '../../store/types.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { User, viewUser } from '../../wire/users.ts';

type Row = { id: string; state: UserVersion };

export const listUsers = query({
  name: 'list_users',
  summary: 'Users of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ users: z.array(User) }),
  errors: [],
  async run({ organization, read }, { paginationOptions }) {
    const page = async (options: Page): Promise<Row[]> =>
      (await read.userStates.page(organization.id, options)).map((state) => ({ id: state.user.id, state }));
    const show = (rows: readonly Row[]) => rows.map(({ state }) => viewUser(state));
    // Each with its credentials and tags.
    return listing({ name: 'users', page, show, atOnce: 200 }, paginationOptions);
  },
});
