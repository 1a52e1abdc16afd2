import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { Id, Pagination, pageOf } from '../../wire/common.ts';
import { SecretMetadata, viewSecret } from '../../wire/secrets.ts';

export const listSecrets = query({
  name: 'list_secrets',
  summary:
    'Secrets of the organization with their names and static properties, newest first; their content comes out by EXPORT_SECRETS alone',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ secrets: z.array(SecretMetadata) }),
  errors: [],
  async run({ organization, read }, { paginationOptions }) {
    return { secrets: (await read.storedSecrets.page(organization.id, pageOf(paginationOptions))).map(viewSecret) };
  },
});
