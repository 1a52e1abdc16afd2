import { z } from 'zod';
import { checkContacts } from '../../domain/people/contacts.ts';
import { addUsers } from '../../domain/people/users.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { onP256 } from '../../wire/credentials.ts';
import { ApiOnlyUserParams } from '../../wire/users.ts';

const users = z.array(ApiOnlyUserParams).min(1, 'must name at least one user').max(100);

export const createApiOnlyUsers = activity({
  kind: 'CREATE_API_ONLY_USERS',
  resource: 'USER',
  action: 'CREATE',
  summary: 'Create users that log in with API keys, at least one of which does not expire',
  params: v1(z.object({ apiOnlyUsers: users })),
  result: { key: 'createApiOnlyUsersResult', shape: z.object({ userIds: z.array(IdOut) }) },
  errors: [checkContacts, addUsers],
  check: ({ intent: { apiOnlyUsers } }) => checkContacts(apiOnlyUsers, 'parameters.apiOnlyUsers'),
  async execute({ ctx, intent: { apiOnlyUsers } }) {
    const made = apiOnlyUsers.map((user) => ({
      ...user,
      apiKeys: onP256(user.apiKeys),
      authenticators: [],
      passkeys: [],
      oauthProviders: [],
      providers: [],
      accessType: 'ACCESS_TYPE_API' as const,
    }));
    return { userIds: await addUsers(ctx, ctx.organization, made, 'parameters.apiOnlyUsers') };
  },
});
