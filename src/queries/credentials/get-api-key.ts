import { z } from 'zod';
import { ApiError } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { ApiKey, viewApiKey } from '../../wire/users.ts';

export const getApiKey = query({
  name: 'get_api_key',
  summary: 'One API key of a user of the organization',
  params: z.object({ organizationId: Id, apiKeyId: Id }),
  result: z.object({ apiKey: ApiKey }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { apiKeyId }) {
    const credential = await read.credentials.get(organization.id, apiKeyId);
    if (credential === undefined) throw new ApiError('NOT_FOUND', `api key not found: apiKeyId names ${apiKeyId}`);
    return { apiKey: viewApiKey(credential) };
  },
});
