import { z } from 'zod';
import { checkContacts } from '../../domain/people/contacts.ts';
import { addUsers, verifyUsers } from '../../domain/people/users.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './create-users.history.ts';

export const createUsers = activity({
  kind: 'CREATE_USERS',
  resource: 'USER',
  action: 'CREATE',
  summary: 'Create users with their credentials and tags',
  secrets: ['users.oauthProviders.oidcToken'],
  params,
  result: { key: 'createUsersResult', shape: z.object({ userIds: z.array(IdOut) }) },
  errors: [checkContacts, addUsers, verifyUsers],
  check: ({ intent: { users } }) => checkContacts(users, 'parameters.users'),
  prepare: ({ ctx, intent: { users } }) => verifyUsers(ctx, users, 'parameters.users'),
  async execute({ ctx, prepared: users }) {
    return { userIds: await addUsers(ctx, ctx.organization, users, 'parameters.users') };
  },
});
