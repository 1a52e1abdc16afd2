import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing, type Order } from '../../engine/query/listing.ts';
import type { Credential } from '../../model/user.ts';
import type { CredentialPlace } from '../../store/types.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { ApiKey, viewApiKey } from '../../wire/users.ts';

export const getApiKeys = query({
  name: 'get_api_keys',
  summary: 'API keys of the organization, or of one of its users: all, user by user, or a page in the order of their creation',
  params: z.object({ organizationId: Id, userId: Id.optional(), paginationOptions: Pagination.optional() }),
  result: z.object({ apiKeys: z.array(ApiKey) }),
  errors: [],
  async run({ organization, read: { credentials } }, { userId, paginationOptions }) {
    const { id } = organization;
    const list = { name: 'apiKeys' as const, show: (some: readonly Credential[]) => some.map(viewApiKey) };
    if (userId !== undefined)
      return listing({ ...list, page: (page) => credentials.pageOfUser(id, userId, page) }, paginationOptions);
    const order: Order<Credential, CredentialPlace> = {
      at: ({ userId, id }) => ({ userId, id }),
      read: (after, limit) => credentials.byUser(id, after, limit),
      last: () => credentials.lastByUser(id),
      isBehind: (a, b) => (a.userId === b.userId ? a.id > b.id : a.userId > b.userId),
    };
    return listing({ ...list, page: (page) => credentials.page(id, page), order }, paginationOptions);
  },
});
