import { z } from 'zod';
import { usersOf } from '../../domain/listings.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { User } from '../../wire/users.ts';

export const listUsers = query({
  name: 'list_users',
  summary: 'Users of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ users: z.array(User) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) => listing(usersOf(read, organization.id), paginationOptions),
});
