import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { Authenticator as AuthenticatorModel } from '../../model/user.ts';
import type { Page } from '../../store/types.ts';
import { Authenticator, viewAuthenticator } from '../../wire/authenticators.ts';
import { Id, Pagination } from '../../wire/common.ts';

export const getAuthenticators = query({
  name: 'get_authenticators',
  summary: 'Passkeys of a user in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, userId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ authenticators: z.array(Authenticator) }),
  errors: [],
  async run({ organization, read }, { userId, paginationOptions }) {
    const page = (options: Page) => read.authenticators.pageOfUser(organization.id, userId, options);
    const show = (some: readonly AuthenticatorModel[]) => some.map(viewAuthenticator);
    return listing({ name: 'authenticators', page, show }, paginationOptions);
  },
});
