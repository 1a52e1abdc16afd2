import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const whoami = query({
  name: 'whoami',
  summary: 'The user of the stamp; the request may name a parent organization for a user of one of its sub-organizations',
  params: z.object({ organizationId: Id }),
  result: z.object({ organizationId: IdOut, organizationName: z.string(), userId: IdOut, username: z.string() }),
  errors: [],
  findsOwnSubOrganization: true,
  async run({ caller }) {
    return {
      organizationId: caller.organization.id,
      organizationName: caller.organization.name,
      userId: caller.user.id,
      username: caller.user.name,
    };
  },
});
