import { z } from 'zod';
import { userNotFound } from '../../domain/people/user-by-id.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { User, viewUser } from '../../wire/users.ts';

export const getUser = query({
  name: 'get_user',
  summary: 'One user with credentials and tags',
  params: z.object({ organizationId: Id, userId: Id }),
  result: z.object({ user: User }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { userId }) {
    const user = await read.userStates.get(organization.id, userId);
    if (user === undefined) throw userNotFound('userId', userId);
    return { user: viewUser(user) };
  },
});
