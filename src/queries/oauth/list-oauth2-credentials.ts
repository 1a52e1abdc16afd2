import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { Oauth2Credential, viewOauth2Credential } from '../../wire/oauth2-credentials.ts';

export const listOauth2Credentials = query({
  name: 'list_oauth2_credentials',
  summary: 'OAuth 2.0 credentials of the organization in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ oauth2Credentials: z.array(Oauth2Credential) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) =>
    listing(
      {
        name: 'oauth2Credentials',
        page: (page) => read.oauth2Credentials.page(organization.id, page),
        show: (some) => some.map(viewOauth2Credential),
      },
      paginationOptions,
    ),
});
