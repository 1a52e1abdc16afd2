import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { ApiKey, viewApiKey } from '../../wire/users.ts';

export const getApiKeys = query({
  name: 'get_api_keys',
  summary: 'API keys of the organization, or of one of its users',
  params: z.object({ organizationId: Id, userId: Id.optional() }),
  result: z.object({ apiKeys: z.array(ApiKey) }),
  errors: [],
  async run({ organization, read }, { userId }) {
    const credentials = await (userId === undefined
      ? read.credentials.list(organization.id)
      : read.credentials.listByUser(organization.id, userId));
    return { apiKeys: credentials.map(viewApiKey) };
  },
});
