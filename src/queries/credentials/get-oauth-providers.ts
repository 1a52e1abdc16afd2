import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { OauthProvider as OauthProviderModel } from '../../model/oauth-provider.ts';
import type { Page } from '../../store/types.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { OauthProvider, viewOauthProvider } from '../../wire/oauth-providers.ts';

export const getOauthProviders = query({
  name: 'get_oauth_providers',
  summary: 'OAuth providers of the organization, or of one of its users, in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, userId: Id.optional(), paginationOptions: Pagination.optional() }),
  result: z.object({ oauthProviders: z.array(OauthProvider) }),
  errors: [],
  async run({ organization: { id }, read: { oauthProviders } }, { userId, paginationOptions }) {
    const page = (some: Page) =>
      userId === undefined ? oauthProviders.page(id, some) : oauthProviders.pageOfUser(id, userId, some);
    const show = (rows: readonly OauthProviderModel[]) => rows.map(viewOauthProvider);
    return listing({ name: 'oauthProviders', page, show }, paginationOptions);
  },
});
